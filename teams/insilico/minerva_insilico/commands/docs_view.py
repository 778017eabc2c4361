"""The output of `minerva code docs`: the count, and a line for each place."""

from dataclasses import asdict, dataclass
from typing import Any

from minerva_insilico.commands.incomplete import page_to_json
from minerva_insilico.core.docstrings.coverage import Coverage
from minerva_insilico.core.index.index import Page, SymbolRef
from minerva_platform.cli_kit import printable, write_text


@dataclass(frozen=True)
class DocsAnswer:
    """The values to print."""

    coverage: Coverage
    missing: Page[SymbolRef]
    files: int
    """How many sources of Python there are."""
    parsed_files: int


def to_json(answer: DocsAnswer, *, limit: int) -> dict[str, Any]:
    """Return everything as JSON, with the list of missing docstrings cut to `limit`."""
    shown = answer.missing.items[:limit]
    coverage = answer.coverage
    return {
        "coverage": {**asdict(coverage), "missing": coverage.missing, "percent": coverage.percent},
        "missing": page_to_json(answer.missing.total, [_place(item) for item in shown]),
    }


def show(answer: DocsAnswer, *, limit: int) -> None:
    """Print the count, and what is missing."""
    coverage = answer.coverage
    if not coverage.total:
        _print(f"nothing to measure: {answer.parsed_files:,} of {answer.files:,} files parsed")
        return
    filler = f" ({coverage.filler:,} of them say nothing but the name)" if coverage.filler else ""
    _print(
        f"{coverage.share} % documented: {coverage.covered:,} of {coverage.total:,},"
        f" {coverage.missing:,} missing{filler}"
    )
    for item in answer.missing.items[:limit]:
        says_nothing = " (its docstring says nothing)" if item.documented else ""
        _print(f"{item.place}: {item.kind} {item.qualname}{says_nothing}")
    if answer.missing.total > limit:
        _print(f"Shown: {limit:,} of {answer.missing.total:,}.")


def _place(symbol: SymbolRef) -> dict[str, Any]:
    return {
        "qualname": symbol.qualname,
        "kind": symbol.kind,
        "path": symbol.path,
        "line": symbol.line,
        "filler": symbol.documented,
    }


def _print(text: str) -> None:
    write_text(printable(text))
