"""Write a standard table as Markdown: verdicts, rows, what is unresolved, what was not read.

What comes from a schema or a request is data: it can neither end a cell nor become markup.
A table that is cut says how many rows there are and where the whole one is.
"""

import re
from collections.abc import Sequence

from minerva_data.contracts import StandardTable
from minerva_data.core.audit.rule import place
from minerva_data.core.audit.table import status_counts
from minerva_data.core.glossary.datatype import row_type_change
from minerva_data.core.glossary.glossary import SEED_NAME
from minerva_data.core.language.question_form import Form
from minerva_data.core.lookup.standard_check import Verdict
from minerva_data.core.schema.export import cite_row
from minerva_data.core.schema.record import Row, Unparsed
from minerva_platform.text import Language, escaped, markdown_table, read_texts, read_words

TEXTS = read_texts("minerva_data.answers", "table")
VERDICT = read_texts("minerva_data.answers", "verdict")

MAX_ROWS = 15
"""Rows of a table that an answer shows; the artifact has all of them."""

_MAX_CELL_CHARACTERS = 60
_MAX_CANDIDATES = 3
"""Names that a verdict offers instead: more would hide that none of them is sure."""


def cell(text: str | None) -> str:
    """Return `text` as a cell that Markdown shows as it is; `-` where there is none."""
    return escaped(text, _MAX_CELL_CHARACTERS) if text else "-"


def table_text(
    table: StandardTable, language: Language, *, limit: int | None = MAX_ROWS, files: str = ""
) -> str:
    """Return title, table and unresolved rows; `limit=None` writes every row.

    Where nothing could be read, why is all there is to say.
    """
    if not table.rows:
        unread = unparsed_text(table.unparsed, language, limit)
        nothing = TEXTS("nothing_read" if unread else "nothing", language)
        return f"{nothing}\n\n{unread}" if unread else nothing
    readings = "\n".join(
        TEXTS("read_as", language, file=cell(one.file), said=one.text) for one in table.read_as
    )
    verdicts = "\n\n".join(_verdict_line(one, language) for one in table.verdicts)
    parts = [
        unserved_text(table.question_forms, language),
        verdicts,
        _title(table, language),
        _rows_text(table, language, limit),
    ]
    hidden = limit is not None and len(table.rows) > limit
    if hidden:
        shown = TEXTS("shown", language, total=len(table.rows), shown=limit)
        parts.append(" ".join(part for part in (shown, files) if part))
    if table.truncated:
        parts.append(TEXTS("read_cut", language, total=table.total, shown=len(table.rows)))
    parts += [
        narrower_text(table.rows, language, limit),
        unresolved_text(table.rows, language, limit),
        readings,
        unparsed_text(table.unparsed, language, limit),
    ]
    return "\n\n".join(part for part in parts if part)


def unserved_text(forms: Sequence[Form], language: Language) -> str:
    """Return which questions about the glossary itself are not answered; empty if there is none."""
    names = ", ".join(TEXTS(f"forms.{form}", language) for form in forms)
    return TEXTS("unserved", language, forms=names) if names else ""


def _verdict_line(verdict: Verdict, language: Language) -> str:
    """Return yes or no about one name, and what is standard instead of it."""
    name, best = cell(verdict.name), verdict.instead
    if verdict.is_standard:
        term = f"{verdict.term} = {verdict.physical_name}"
        return VERDICT("yes", language, name=name, term=term)
    if verdict.composed is not None:
        return VERDICT("composed", language, name=name, term=verdict.composed)
    text = VERDICT("retired" if verdict.is_retired else "no", language, name=name)
    if best is not None:
        said = {"physical": best.physical_name, "term": best.logical_name}
        return text + VERDICT("instead", language, **said)
    offered = verdict.candidates[:_MAX_CANDIDATES]
    names = ", ".join(f"`{one.physical_name}` ({one.logical_name})" for one in offered)
    return text + VERDICT("candidates" if names else "none", language, names=names)


def narrower_text(rows: Sequence[Row], language: Language, limit: int | None) -> str:
    """Return the columns whose standard type has less room than the declared one."""
    found = [row for row in rows if row_type_change(row) == "narrower"]
    title = TEXTS("narrower_title", language, total=len(found))
    lines = [narrower_line(row, language) for row in found[:limit]]
    return _titled(title, lines, len(found), language)


def narrower_line(row: Row, language: Language) -> str:
    """Return the declared and the standard type of a column whose values may be cut."""
    types = {"declared": cell(row.item.data_type), "wanted": cell(row.data_type)}
    return TEXTS("narrower", language, place=cell(place(row)), **types)


def unresolved_text(rows: Sequence[Row], language: Language, limit: int | None) -> str:
    """Return what has no name, why, and what a person might choose."""
    found = [row for row in rows if row.status == "unresolved"]
    title = TEXTS("unresolved_title", language, total=len(found))
    lines = [unresolved_line(row, language) for row in found[:limit]]
    return _titled(title, lines, len(found), language)


def unresolved_line(row: Row, language: Language) -> str:
    """Return why a row has no name, the parts in the way, and what a person might choose."""
    parts = TEXTS("parts", language, parts=", ".join(cell(part) for part in row.unresolved_parts))
    names = ", ".join(cell(name) for name in row.alternatives)
    return TEXTS(
        "unresolved",
        language,
        place=cell(_label(row)),
        reason=TEXTS(f"reasons.{row.reason or 'unknown_words'}", language),
        parts=parts if row.unresolved_parts else "",
        alternatives=TEXTS("alternatives", language, names=names) if names else "",
    )


def unparsed_text(problems: Sequence[Unparsed], language: Language, limit: int | None) -> str:
    """Return the statements that could not be read, with file and line."""
    title = TEXTS("unparsed_title", language, total=len(problems))
    lines = [unparsed_line(one, language) for one in problems[:limit]]
    return _titled(title, lines, len(problems), language)


def _titled(title: str, lines: Sequence[str], total: int, language: Language) -> str:
    """Return the lines under their title, and how many are left out; nothing without lines."""
    if not lines:
        return ""
    cut = TEXTS("shown", language, total=total, shown=len(lines))
    return "\n".join([title, "", *lines, *(["", cut] if total > len(lines) else [])])


def unparsed_line(one: Unparsed, language: Language) -> str:
    """Return where something could not be read, and why."""
    reason = cell(unread_reason(one, language))
    return f"- {cell(one.file)}:{one.line}: {reason} ({cell(one.statement)})"


def _title(table: StandardTable, language: Language) -> str:
    counts = status_counts(table.rows)
    total = len(table.rows)
    areas = " > ".join(cell(area) for area in table.priority)
    order = "\n\n" + TEXTS("priority", language, priority=areas) if areas else ""
    if not table.from_schema:
        found = TEXTS("terms_title", language, total=total, **counts)
        return f"{found}{_possible_text(table.rows, language)}{order}"
    title = TEXTS("columns_title", language, total=total)
    said = f"{title}: {TEXTS('counts', language, total=total, **counts)}"
    return f"{said}{_possible_text(table.rows, language)}{order}"


def _possible_text(rows: Sequence[Row], language: Language) -> str:
    """Return how many names the bundled glossary gives; nothing has measured how sure they are."""
    count = sum(bool(row.citations) and row.citations[0].source == SEED_NAME for row in rows)
    return "\n\n" + TEXTS("possible", language, count=count) if count else ""


def _rows_text(table: StandardTable, language: Language, limit: int | None) -> str:
    if table.from_schema:
        columns = (_column_cells(row, language) for row in table.rows[:limit])
        return markdown_table(TEXTS.row("column_header", language), columns)
    terms = map(_term_cells, table.rows[:limit])
    return markdown_table(TEXTS.row("term_header", language), terms)


def _common_cells(row: Row) -> tuple[str, ...]:
    named = (row.logical_name, row.physical_name, row.domain_text, row.data_type, row.subject_area)
    return tuple(cell(value) for value in named)


def _term_cells(row: Row) -> tuple[str, ...]:
    return (
        cell(_label(row)),
        *_common_cells(row),
        cell(_method_text(row)),
        cell(cite_row(row.citations)),
    )


def _method_text(row: Row) -> str | None:
    """Return how a name was found, and how often such a name is right."""
    return None if row.confidence is None else f"{row.method} {row.confidence:.2f}"


def _column_cells(row: Row, language: Language) -> tuple[str, ...]:
    return (
        cell(place(row)),
        TEXTS(f"statuses.{row.status}", language),
        *_common_cells(row),
        cell(cite_row(row.citations)),
    )


def _label(row: Row) -> str:
    return row.item.wording or f"{place(row)} {row.item.comment or ''}".strip()


REASONS = read_words("minerva_data.answers", "unread")


def unread_reason(one: Unparsed, language: Language) -> str:
    """Return why `one` was not read, in one clause in the person's language.

    Readers give their reasons in English (`Unparsed.error`), as `unread.csv` has them. Of a
    parser's own message a Korean answer says only that the statement is not understood.
    """
    if language != "ko":
        return one.error
    for pattern, said in REASONS.lists.values():
        found = re.fullmatch(pattern, one.error, re.DOTALL)
        if found is not None:
            return found.expand(said)
    return one.error
