"""Write the contents of an index, in the language of the request."""

from collections.abc import Iterable
from pathlib import Path

from minerva_insilico.answers.lists import with_note
from minerva_insilico.answers.missing_files import failed_line
from minerva_insilico.core.facts.language import PYTHON
from minerva_insilico.core.facts.unread import unread_text
from minerva_insilico.core.index.index import SymbolRef
from minerva_insilico.core.index.indexer import Indexed
from minerva_platform import Artifact
from minerva_platform.text import Language, code_span, csv_text, markdown_table, read_texts

TEXTS = read_texts("minerva_insilico.answers", "overview")

_MAX_SHOWN = 20
_PROBLEMS = "problems.csv"

Symbols = tuple[SymbolRef, ...]


def overview_text(
    report: Indexed,
    counts: dict[str, int],
    longest: Symbols,
    most_complex: Symbols,
    language: Language,
) -> str:
    """Write the counts, what could not be read, and the functions that stand out."""
    parts = [
        _opening(report, counts, language),
        "\n".join(_other_lines(report, language)),
        _failed_files(report, language),
        _skipped_files(report, language),
        _functions(longest, most_complex, language),
    ]
    return "\n\n".join(part for part in parts if part)


def list_problems(report: Indexed) -> Iterable[Artifact]:
    """Yield the whole list of unread files if the answer shows only its start."""
    if len(report.failed) <= _MAX_SHOWN and len(report.skipped) <= _MAX_SHOWN:
        return
    rows = [("not parsed", item.path, item.line or "", item.error) for item in report.failed]
    rows += [("not read", item.path, "", item.error) for item in report.skipped]
    content = csv_text(("what", "path", "line", "reason"), rows)
    yield Artifact(name=_PROBLEMS, media_type="text/csv", content=content)


def _opening(report: Indexed, counts: dict[str, int], language: Language) -> str:
    return TEXTS(
        "opening",
        language,
        root=code_span(Path(report.root).name),
        files=report.files,
        parsed=report.parsed,
        classes=counts.get("class", 0),
        functions=counts.get("function", 0) + counts.get("method", 0),
        read=report.read,
        unchanged=report.unchanged,
        removed=report.removed,
    )


def _other_lines(report: Indexed, language: Language) -> Iterable[str]:
    """Yield a line for each other language, and for what `.gitignore` leaves out."""
    for tally in report.languages:
        if tally.language == PYTHON:
            continue
        if tally.hint:
            said = TEXTS("text_alone", language, hint=code_span(tally.hint))
            yield f"- {tally.language}: {tally.files:,} ({said})"
        else:
            yield f"- {tally.language}: {tally.parsed:,}/{tally.files:,}"
    if report.ignored:
        yield f"- {TEXTS('ignored', language)}: {report.ignored:,}"


def _failed_files(report: Indexed, language: Language) -> str:
    lines = [failed_line(item, language) for item in report.failed[:_MAX_SHOWN]]
    title = TEXTS("failed", language, count=len(report.failed))
    return _problems(title, lines, len(report.failed), language)


def _skipped_files(report: Indexed, language: Language) -> str:
    lines = [
        f"- {code_span(item.path)}: {unread_text(item.reason, language)}"
        for item in report.skipped[:_MAX_SHOWN]
    ]
    title = TEXTS("skipped", language, count=len(report.skipped))
    return _problems(title, lines, len(report.skipped), language)


def _problems(title: str, lines: list[str], total: int, language: Language) -> str:
    if not lines:
        return ""
    return with_note([title, "", *lines], len(lines), total, language, _PROBLEMS)


def _functions(longest: Symbols, most_complex: Symbols, language: Language) -> str:
    if not longest:
        return ""
    header = TEXTS.row("functions", language)
    return "\n\n".join(
        f"**{title}**\n\n{markdown_table(header, map(_function_row, symbols))}"
        for title, symbols in (
            (TEXTS("most_complex", language), most_complex),
            (TEXTS("longest", language), longest),
        )
    )


def _function_row(symbol: SymbolRef) -> tuple[str, ...]:
    return (
        code_span(symbol.qualname),
        code_span(symbol.place),
        f"{symbol.end_line - symbol.line + 1:,}",
        f"{symbol.complexity:,}",
    )
