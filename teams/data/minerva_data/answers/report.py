"""Write the report of a standardisation: what became of all columns, and what a person decides.

It shows the first rows of each list and says how many there are; the other files hold all.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import get_args

from minerva_data.answers.audit import TEXTS as AUDIT, clean_text, finding_cells
from minerva_data.answers.table import TEXTS as TABLE, cell, unparsed_line, unresolved_line
from minerva_data.core.audit.rule import place
from minerva_data.core.schema.export import cite_row
from minerva_data.core.schema.record import ReadAs, Row, Severity
from minerva_data.core.standardising.options import Wishes
from minerva_data.core.standardising.spool import Spool
from minerva_data.core.standardising.tally import Tally
from minerva_platform.text import Language, markdown_table, read_texts

TEXTS = read_texts("minerva_data.answers", "report")

MAX_ROWS = 500
"""Rows of a list that a report shows."""


@dataclass(frozen=True, slots=True)
class ReportContent:
    """What a report is about."""

    spool: Spool
    tally: Tally
    wishes: Wishes
    sources: Mapping[str, str]
    answering: tuple[str, ...]
    read_as: Mapping[str, ReadAs]


def report_text(about: ReportContent, language: Language) -> Iterator[str]:
    """Yield the report's paragraphs."""
    read_as = {name: f"; {one.text}" for name, one in about.read_as.items() if one.text}
    names = ", ".join(
        f"{cell(name)} ({kind}{read_as.get(name, '')})" for name, kind in about.sources.items()
    )
    yield TEXTS("title", language)
    yield TEXTS("given", language, names=names)
    yield TEXTS("answering", language, names=", ".join(map(cell, about.answering)))
    yield from _counts(about, language)
    yield from _findings(about, language)
    yield from _rows(about, language)
    yield from _unresolved_rows(about, language)
    if about.tally.problems:
        yield TEXTS("unread", language, total=about.tally.problems)
        yield "\n".join(
            unparsed_line(one, language) for one in about.spool.problems(limit=MAX_ROWS)
        )
        yield from _cut_note(about.tally.problems, "`unread.csv`", language)


def _counts(about: ReportContent, language: Language) -> Iterator[str]:
    tally = about.tally
    total, lost = tally.total, tally.unresolved
    if tally.by_status["found"] or tally.by_status["composed"]:
        yield TABLE(
            "terms_title",
            language,
            total=total,
            unresolved=lost,
            **{name: tally.by_status[name] for name in ("found", "composed")},
        )
    else:
        counts = {name: tally.by_status[name] for name in ("renamed", "standard", "unresolved")}
        title = TABLE("columns_title", language, total=total)
        yield f"{title}: {TABLE('counts', language, total=total, **counts)}"
    if tally.named:
        methods = _count_list(tally.by_method.items())
        yield TEXTS("methods", language, named=tally.named, methods=methods)
    if lost:
        reasons = ((TABLE(f"reasons.{why}", language), n) for why, n in tally.by_reason.items())
        yield TEXTS(
            "candidates",
            language,
            unresolved=lost,
            with_=tally.with_candidates,
            without=lost - tally.with_candidates,
            reasons=_count_list(reasons),
        )
    if tally.left_out:
        yield TEXTS("left_out", language, count=tally.left_out)
    if about.wishes.priority:
        yield TABLE("priority", language, priority=" > ".join(map(cell, about.wishes.priority)))


def _count_list(counts: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts)


def _findings(about: ReportContent, language: Language) -> Iterator[str]:
    tally = about.tally
    if not tally.findings:
        yield clean_text(tally.named, tally.total, language)
        return
    yield AUDIT("judged", language, judged=tally.named, total=tally.total)
    levels = {level: tally.by_severity[level] for level in get_args(Severity)}
    title = AUDIT("findings_title", language, total=tally.findings, **levels)
    yield f"{title}: {_count_list(sorted(tally.by_rule.items()))}"
    found = about.spool.findings(limit=MAX_ROWS, but="N1")
    listed = [finding_cells(one, language) for one in found]
    if listed:
        yield markdown_table(AUDIT.row("finding_header", language), listed)
    yield from _cut_note(tally.findings - tally.by_rule["N1"], "`audit.csv`", language)
    if tally.by_rule["N1"]:
        yield AUDIT("renames", language, count=tally.by_rule["N1"])
    if tally.inversions_given:
        yield AUDIT("order", language, before=tally.inversions_given, after=0)


def _rows(about: ReportContent, language: Language) -> Iterator[str]:
    if about.tally.named:
        named = about.spool.rows(limit=MAX_ROWS, has_name=True)
        yield markdown_table(TEXTS.row("header", language), map(_cells, named))
        yield from _cut_note(about.tally.named, "`mapping.csv`", language)
    if any(name in {"renamed", "standard"} for name in about.tally.by_status):
        yield TABLE("not_applied", language)


def _cells(row: Row) -> tuple[str, ...]:
    texts = (
        *(place(row), row.logical_name, row.physical_name, row.domain_text, row.data_type),
        *(row.subject_area, row.method, f"{row.confidence:.2f}" if row.confidence else None),
    )
    return (*map(cell, texts), cell(cite_row(row.citations)))


def _unresolved_rows(about: ReportContent, language: Language) -> Iterator[str]:
    if about.tally.unresolved:
        yield TABLE("unresolved_title", language, total=about.tally.unresolved)
        rows = about.spool.rows(limit=MAX_ROWS, has_name=False)
        yield "\n".join(unresolved_line(row, language) for row in rows)
        yield from _cut_note(about.tally.unresolved, "`mapping.csv`", language)


def _cut_note(total: int, file: str, language: Language) -> Iterator[str]:
    if total > MAX_ROWS:
        yield TEXTS("cut", language, total=total, shown=MAX_ROWS, file=file)
