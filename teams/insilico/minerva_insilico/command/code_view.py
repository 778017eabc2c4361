"""What `minerva code` prints: a line for each place, every cut list with its total."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from minerva_insilico.core.caller import CallHit, ImportHit
from minerva_insilico.core.index import Page, SymbolRef
from minerva_insilico.core.indexer import Indexed
from minerva_insilico.core.usage import FieldUse
from minerva_platform import printable, write_json, write_text

_PROBLEMS_SHOWN = 20

Hit = SymbolRef | CallHit | ImportHit | FieldUse


def show_indexed(indexed: Indexed, *, as_json: bool) -> None:
    """Print what an index holds and what could not be read."""
    if as_json:
        write_json(
            {
                "root": str(indexed.root),
                "database": str(indexed.database),
                "files": indexed.files,
                "parsed": indexed.parsed,
                "read": indexed.read,
                "unchanged": indexed.unchanged,
                "removed": indexed.removed,
                "failed": [asdict(item) for item in indexed.failed],
                "skipped": [asdict(item) for item in indexed.skipped],
            }
        )
        return
    _print(
        [
            f"{indexed.parsed:,} of {indexed.files:,} files parsed ({indexed.read:,} read now,"
            f" {indexed.unchanged:,} unchanged, {indexed.removed:,} gone)",
            *_problems(
                "not parsed",
                [(_place(item.path, item.line), item.error) for item in indexed.failed],
            ),
            *_problems("not read", [(item.path, item.reason) for item in indexed.skipped]),
        ]
    )


def show_page(page: Page[Any], *, as_json: bool) -> None:
    """Print results, one a line, and how many there are in all."""
    if as_json:
        write_json(
            {
                "total": page.total,
                "shown": page.shown,
                "truncated": page.truncated,
                "hits": [asdict(hit) for hit in page.items],
            }
        )
        return
    cut = [f"Shown: {page.shown:,} of {page.total:,}."] if page.truncated else []
    nothing = [] if page.total else ["Nothing was found."]
    _print([*(_line(hit) for hit in page.items), *cut, *nothing])


def _line(hit: Hit) -> str:
    place = _place(hit.path, hit.line)
    if isinstance(hit, SymbolRef):
        return f"{place}: {hit.kind} {hit.qualname}{hit.signature}"
    if isinstance(hit, CallHit):
        return f"{place}: {hit.resolution} {hit.symbol}: {hit.snippet}"
    if isinstance(hit, ImportHit):
        return f"{place}: {hit.module}: {hit.snippet}"
    flows = f" → {hit.sink}" if hit.sink else ""
    return f"{place}: {hit.kind}{flows} {hit.symbol}: {hit.snippet}"


def _problems(title: str, items: Sequence[tuple[str, str]]) -> list[str]:
    lines = [f"{title}: {place}: {reason}" for place, reason in items[:_PROBLEMS_SHOWN]]
    left = len(items) - len(lines)
    return [*lines, *([f"{title}: {left:,} more; --json has them all"] if left else [])]


def _place(path: str, line: int | None) -> str:
    return path if line is None else f"{path}:{line}"


def _print(lines: Sequence[str]) -> None:
    for line in lines:
        write_text(printable(line))
