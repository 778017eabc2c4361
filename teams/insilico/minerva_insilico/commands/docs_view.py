"""What `minerva code docs` prints: a line for each place, a patch as it is."""

import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from minerva_insilico.core.docstrings.application import Applied
from minerva_insilico.core.docstrings.coverage import Coverage
from minerva_insilico.core.docstrings.drafting import Drafts
from minerva_insilico.core.index.index import Page, SymbolRef
from minerva_platform.cli_kit import printable, say, write_text

_REFUSED_SHOWN = 20


@dataclass
class DocsAnswer:
    """What there is to tell."""

    root: Path
    counted: Coverage
    missing: Page[SymbolRef]
    drafted: Drafts | None = None
    applied: Applied | None = None
    before: Coverage | None = None
    """The count before the drafts were written."""

    @property
    def refused(self) -> list[tuple[str, str]]:
        """What was not drafted or not written, and why."""
        drafted = self.drafted.refused if self.drafted else []
        return [*drafted, *(self.applied.refused if self.applied else [])]


def to_json(answer: DocsAnswer, *, limit: int) -> dict[str, Any]:
    """Return everything as JSON; the list of what is missing cut to `limit`."""
    shown = answer.missing.items[:limit]
    found: dict[str, Any] = {
        "coverage": _count(answer.counted),
        "missing": {
            "total": answer.missing.total,
            "shown": len(shown),
            "truncated": len(shown) < answer.missing.total,
            "hits": [_place(item) for item in shown],
        },
    }
    if answer.drafted is not None:
        found["style"] = answer.drafted.style
        found["drafts"] = [
            {**_place(item.symbol), "docstring": item.docstring} for item in answer.drafted.drafts
        ]
        found["patch"] = answer.drafted.patch
        found["refused"] = [{"place": place, "reason": text} for place, text in answer.refused]
    if answer.applied is not None and answer.before is not None:
        found["written"] = [item.path for item in answer.applied.written]
        found["before"] = _count(answer.before)
    return found


def show(answer: DocsAnswer, *, limit: int) -> None:
    """Print the count, what was written, and what is missing."""
    if answer.applied is not None and answer.before is not None:
        drafts = sum(item.drafts for item in answer.applied.written)
        files = len(answer.applied.written)
        _print(f"{drafts:,} docstrings written into {files:,} files")
        _print(f"before: {_sentence(answer.before)}")
    _print(_sentence(answer.counted))
    for item in answer.missing.items[:limit]:
        _print(f"{item.place}: {item.kind} {item.qualname}")
    if answer.missing.total > limit:
        _print(f"Shown: {limit:,} of {answer.missing.total:,}.")
    _say_refused(answer)


def show_patch(answer: DocsAnswer) -> None:
    """Print the patch: exactly, unless a person's terminal would obey what stands in it."""
    patch = answer.drafted.patch if answer.drafted else ""
    if patch:
        text = patch.removesuffix("\n")
        write_text(printable(text) if sys.stdout.isatty() else text)
    _say_refused(answer)


def _say_refused(answer: DocsAnswer) -> None:
    for place, reason in answer.refused[:_REFUSED_SHOWN]:
        say(f"left alone: {place}: {reason}")
    left = len(answer.refused) - _REFUSED_SHOWN
    if left > 0:
        say(f"left alone: {left:,} more; --json has them all")


def _sentence(counted: Coverage) -> str:
    return (
        f"{counted.percent:.1f} % documented: {counted.covered:,} of {counted.total:,},"
        f" {counted.missing:,} missing"
    )


def _count(counted: Coverage) -> dict[str, Any]:
    return {**asdict(counted), "missing": counted.missing, "percent": counted.percent}


def _place(symbol: SymbolRef) -> dict[str, Any]:
    return {
        "qualname": symbol.qualname,
        "kind": symbol.kind,
        "path": symbol.path,
        "line": symbol.line,
    }


def _print(text: str) -> None:
    write_text(printable(text))
