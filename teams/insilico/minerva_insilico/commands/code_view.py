"""The output of `minerva code`: a line for each place, and the total of every cut list."""

from collections.abc import Sequence
from dataclasses import asdict

from minerva_insilico.answers.findings import nothing_text
from minerva_insilico.commands.incomplete import page_to_json, write_answer
from minerva_insilico.core.facts.language import PYTHON
from minerva_insilico.core.index.index import Hit, Page
from minerva_insilico.core.index.indexer import Indexed
from minerva_insilico.core.index.tally import Tally
from minerva_insilico.core.queries.search import SearchMode
from minerva_platform.cli_kit import printable, write_text

_MAX_PROBLEMS_SHOWN = 20


def show_indexed(report: Indexed, *, as_json: bool) -> None:
    """Print what an index holds and what could not be read."""
    if as_json:
        write_answer(
            {
                "root": str(report.root),
                "database": str(report.database),
                "files": report.files,
                "parsed": report.parsed,
                "read": report.read,
                "unchanged": report.unchanged,
                "removed": report.removed,
                "failed": [{**asdict(item), "error": item.error} for item in report.failed],
                "skipped": [{"path": i.path, "reason": i.error} for i in report.skipped],
                "ignored": report.ignored,
                "languages": [{**asdict(tally), "hint": tally.hint} for tally in report.languages],
            }
        )
        return
    _print(
        [
            f"{report.parsed:,} of {report.files:,} Python files parsed"
            f" ({report.read:,} files read now, {report.unchanged:,} unchanged,"
            f" {report.removed:,} gone)",
            *(_counts(tally) for tally in report.languages if tally.language != PYTHON),
            *([f"{report.ignored:,} left out by .gitignore"] if report.ignored else []),
            *_problems(
                "not parsed",
                [(_place(item.path, item.line), item.error) for item in report.failed],
            ),
            *_problems("not read", [(item.path, item.error) for item in report.skipped]),
        ]
    )


def show_hits(page: Page[Hit], mode: SearchMode, *, as_json: bool) -> None:
    """Print results, one a line, and how many there are in all."""
    if as_json:
        write_answer(page_to_json(page.total, [asdict(hit) for hit in page.items]))
        return
    cut = [f"Shown: {page.shown:,} of {page.total:,}."] if page.truncated else []
    nothing = [] if page.total else [nothing_text(mode, "en")]
    _print([*(_line(hit) for hit in page.items), *cut, *nothing])


def _line(hit: Hit) -> str:
    """Return `path:line: why symbol → target: code`, as editors and people take it."""
    names = " → ".join(name for name in (hit.symbol, hit.target) if name)
    further = f" +{hit.depth}" if hit.depth else ""
    said = " ".join(part for part in (f"{hit.why}{further}", names) if part)
    return f"{_place(hit.path, hit.line)}: {said}: {hit.snippet}"


def _counts(tally: Tally) -> str:
    if tally.hint:
        return f"{tally.language}: {tally.files:,} not parsed, text alone; else: {tally.hint}"
    return f"{tally.language}: {tally.parsed:,} of {tally.files:,} parsed"


def _problems(title: str, items: Sequence[tuple[str, str]]) -> list[str]:
    lines = [f"{title}: {place}: {reason}" for place, reason in items[:_MAX_PROBLEMS_SHOWN]]
    left = len(items) - len(lines)
    return [*lines, *([f"{title}: {left:,} more; --json has them all"] if left else [])]


def _place(path: str, line: int | None) -> str:
    return path if line is None else f"{path}:{line}"


def _print(lines: Sequence[str]) -> None:
    for line in lines:
        write_text(printable(line.replace("\n", " ")))
