"""Write which code a plan of renamings touches."""

from collections.abc import Iterable

from minerva_insilico.answers.findings import ARTIFACT, MAX_SHOWN, TEXTS as USE_TEXTS, use_line
from minerva_insilico.answers.lists import titled_list
from minerva_insilico.contracts import PlannedColumn, RenamePlan
from minerva_insilico.core.fields.usage import FieldUse
from minerva_insilico.core.index.index import Page
from minerva_platform.text import Language, code_span, markdown_table, read_texts

TEXTS = read_texts("minerva_insilico.answers", "plan")
_MAX_PLACES = 6


def answer_plan(plan: RenamePlan, uses: Page[FieldUse], language: Language) -> str:
    """Write which code each renamed column of a plan breaks."""
    by_name: dict[str, list[FieldUse]] = {}
    for use in uses.items:
        if use.kind != "name":  # a variable that is logged does not break
            by_name.setdefault(use.name.lower(), []).append(use)
    renamed = _group(column for column in plan.columns if column.is_renamed)
    used = {name: columns for name, columns in renamed.items() if name in by_name}
    unused = [columns[0].column for name, columns in renamed.items() if name not in by_name]
    lines = len({(use.path, use.line) for name in used for use in by_name[name]})
    parts = [TEXTS("opening", language, renamed=len(renamed), used=len(used), lines=lines)]
    if used:
        parts.append(_plan_table(used, by_name, language))
        parts.append(TEXTS("all_places", language, artifact=code_span(ARTIFACT)))
    parts.append(_columns("unused", unused, language))
    parts.append(_columns("undecided", _undecided_columns(plan, renamed, by_name), language))
    parts.append(_plan_sinks(uses, language))
    return "\n\n".join(part for part in parts if part)


def _columns(title: str, names: list[str], language: Language) -> str:
    """Write columns in a line, if there are any."""
    shown = ", ".join(map(code_span, names))
    return f"{TEXTS(f'columns.{title}', language)} ({len(names):,}): {shown}" if names else ""


def _group(columns: Iterable[PlannedColumn]) -> dict[str, list[PlannedColumn]]:
    groups: dict[str, list[PlannedColumn]] = {}
    for column in columns:
        groups.setdefault(column.column.lower(), []).append(column)
    return groups


def _plan_table(
    used: dict[str, list[PlannedColumn]], by_name: dict[str, list[FieldUse]], language: Language
) -> str:
    rows: list[tuple[str, str, str, str]] = []
    for name, columns in used.items():
        uses = by_name[name]
        new = dict.fromkeys(str(column.physical_name) for column in columns)
        tables = ", ".join(dict.fromkeys(column.table for column in columns if column.table))
        column = code_span(columns[0].column) + (f" ({tables})" if tables else "")
        names, places = ", ".join(map(code_span, new)), _places(uses, language)
        rows.append((column, names, f"{len(uses):,}", places))
    return markdown_table(TEXTS.row("header", language), rows)


def _places(uses: list[FieldUse], language: Language) -> str:
    shown = [
        f"{code_span(f'{use.path}:{use.line}')} {USE_TEXTS(f'kinds.{use.kind}', language)}"
        for use in uses[:_MAX_PLACES]
    ]
    left = len(uses) - len(shown)
    return ", ".join([*shown, *([TEXTS("more", language, count=left)] if left else [])])


def _undecided_columns(
    plan: RenamePlan, renames: dict[str, list[PlannedColumn]], by_name: dict[str, list[FieldUse]]
) -> list[str]:
    """Return the columns that the code uses and whose new name is not decided."""
    others = _group(column for column in plan.columns if column.column.lower() not in renames)
    return [
        columns[0].column
        for name, columns in others.items()
        if name in by_name and any(column.status == "unresolved" for column in columns)
    ]


def _plan_sinks(uses: Page[FieldUse], language: Language) -> str:
    flowing = [use for use in uses.items if use.sink]
    if not flowing:
        return ""
    lines = (use_line(use, language) for use in flowing[:MAX_SHOWN])
    title = TEXTS("sinks", language)
    return titled_list(title, lines, len(flowing), language, artifact=ARTIFACT)
