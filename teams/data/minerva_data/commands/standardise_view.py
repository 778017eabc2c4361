"""What `minerva standardise` prints: how far it is, the table, and counts that add up."""

import io
import json
import os
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from minerva_data.answers.table import TEXTS as TABLE
from minerva_data.commands.standardise_api import Standardised
from minerva_data.core.audit.rule import place
from minerva_data.core.schema.export import cite_row
from minerva_data.core.schema.record import Row
from minerva_data.core.standardising.job import Progress
from minerva_platform.cli_kit import printable, write_text

_HEADER = (
    *("item", "status", "logical name", "physical name", "domain", "type"),
    *("method", "conf.", "source"),
)
_WHOLE = ("physical name", "conf.")
"""Columns that a narrow terminal does not break."""

_KINDS = {
    "schema": "a schema",
    "list": "a list of columns",
    "names": "a list of names",
    "data": "data, of which only the header row is read",
    "text": "as it is",
}
_PIPE_COLUMNS = 500
"""Columns of a table in a pipe, where nothing is folded."""

_MIN_REDRAW_SECONDS = 0.2
_MAX_CELL_CHARACTERS = 60


class ProgressLine(AbstractContextManager["ProgressLine"]):
    """One line on standard error that says how far it is, if a person looks at it."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._doing, self._began, self._drawn_at = "", 0.0, 0.0

    def __exit__(self, *_: object) -> None:
        if self._drawn_at:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def show(self, progress: Progress) -> None:
        """Draw it again, a few times a second."""
        now = time.monotonic()
        if progress.doing != self._doing:
            self._doing, self._began = progress.doing, now
        if self._is_shown and now - self._drawn_at >= _MIN_REDRAW_SECONDS:
            self._drawn_at = now
            sys.stderr.write(f"\r\x1b[K{progress_text(progress, now - self._began)}")
            sys.stderr.flush()


def progress_text(progress: Progress, seconds: float) -> str:
    """Return how far it is, how fast, and what is left."""
    rate = progress.done / seconds if seconds else 0.0
    said = f"{progress.done:,} {progress.doing}"
    if progress.total is not None:
        said = f"{progress.done:,} of {progress.total:,} {progress.doing}"
    if rate:
        said = f"{said} · {rate:,.0f}/s"
        if progress.total is not None:
            left = (progress.total - progress.done) / rate
            said = f"{said} · {left // 60:.0f}:{left % 60:02.0f} left"
    return said


def show(done: Standardised, limit: int) -> None:
    """Print the first rows of each list, and all counts."""
    tally = done.tally
    if tally.named and limit:
        _print(_table(done.rows(limit=limit, has_name=True)))
        _print(_cut_lines(tally.named, limit, "named"))
    _print(count_lines(done))
    if tally.unresolved and limit:
        _print(["", f"unresolved, nothing is guessed ({tally.unresolved:,}):"])
        _print(_open_line(row) for row in done.rows(limit=limit, has_name=False))
        _print(_cut_lines(tally.unresolved, limit, "unresolved"))
    if tally.problems and limit:
        _print(["", f"not read, or not used again ({tally.problems:,}):"])
        _print(
            f"  {one.file}:{one.line}: {one.error} ({one.statement[:_MAX_CELL_CHARACTERS]})"
            for one in done.problems(limit=limit)
        )
        _print(_cut_lines(tally.problems, limit, "problems"))
    if done.files:
        names = ", ".join(path.name for path in done.files)
        _print(["", f"written to {done.files[0].parent}: {names}"])
        if any(path.name == "migration.sql" for path in done.files):
            _print(["migration.sql has not been applied."])


def count_lines(done: Standardised) -> Iterator[str]:
    """Yield the counts: each line's parts add up to its total."""
    tally = done.tally
    readings = {name: f"; {one.text}" for name, one in done.read_as.items() if one.text}
    sources = ", ".join(
        f"{name} ({_KINDS[kind]}{readings.get(name, '')})" for name, kind in done.sources.items()
    )
    yield f"read: {sources}; answering: {' > '.join(done.answering)}"
    status = tally.by_status
    parts = {
        "found": status["found"],
        "composed": status["composed"],
        "to rename": status["renamed"],
        "standard already": status["standard"],
        "unresolved": status["unresolved"],
    }
    yield f"{tally.total:,} in all = {_sum(parts.items())}"
    if tally.named:
        methods = ((name.replace("_", " "), count) for name, count in tally.by_method.items())
        yield f"  {tally.named:,} named = {_sum(methods)}"
    if tally.unresolved:
        lone = tally.unresolved - tally.with_candidates
        both = (("with candidates only", tally.with_candidates), ("without", lone))
        yield f"  {tally.unresolved:,} unresolved = {_sum(both)}"
        reasons = ((name.replace("_", " "), count) for name, count in tally.by_reason.items())
        yield f"  {tally.unresolved:,} unresolved = {_sum(reasons)}"
    if tally.left_out:
        yield f"{tally.left_out:,} more are there twice and are not counted above"
    if tally.losses:
        yield f"incomplete: {tally.losses:,} tables, columns or comments are not read (exit code 5)"
    over = f"audit of {tally.named:,} named of {tally.total:,}"
    if tally.findings:
        rules = " · ".join(f"{rule} {count:,}" for rule, count in sorted(tally.by_rule.items()))
        yield f"{over}: {tally.findings:,} finding{'s' * (tally.findings > 1)} ({rules})"
    else:
        yield f"{over}: {'no findings in these' if tally.named else 'nothing was judged'}"


def show_json(done: Standardised) -> None:
    """Print one JSON object with every row, a line each; only one row is held."""
    head = {**done.to_json(), "files": [str(path) for path in done.files]}
    text = json.dumps(head, ensure_ascii=False, indent=2)
    lists: dict[str, Iterable[Any]] = {
        "rows": done.rows(),
        "findings": done.findings(),
        "problems": done.problems(),
    }
    write_text(text.removesuffix("\n}"))
    for name, values in lists.items():
        write_text(f', "{name}": [')
        comma = ""
        for value in values:
            write_text(f"{comma}{value.model_dump_json()}")
            comma = ","
        write_text("]")
    write_text("}")


def _sum(parts: Iterable[tuple[str, int]]) -> str:
    return " + ".join(f"{count:,} {name}" for name, count in parts if count)


def _cut_lines(total: int, limit: int, name: str) -> list[str]:
    return [f"… {limit:,} of {total:,} {name} shown; --limit, --out or --json for all"] * (
        total > limit
    )


def _open_line(row: Row) -> str:
    reason = TABLE(f"reasons.{row.reason or 'unknown_words'}", "en")
    said = f"  {_label(row)}: {reason}"
    parts = f" ({', '.join(row.unresolved_parts)})" if row.unresolved_parts else ""
    names = f"; candidates: {', '.join(row.alternatives)}" if row.alternatives else ""
    return f"{said}{parts}{names}"


def _label(row: Row) -> str:
    comment = f" {row.item.comment}" if row.item.comment else ""
    return " ".join(f"{place(row)}{comment}".split())[:_MAX_CELL_CHARACTERS]


def _table(rows: Iterable[Row]) -> list[str]:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in _HEADER:
        table.add_column(name, overflow="fold", no_wrap=name in _WHOLE)
    for row in rows:
        table.add_row(*(Text(" ".join(printable(cell).split())) for cell in _cells(row)))
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _PIPE_COLUMNS
    shown = io.StringIO()
    Console(file=shown, width=width, color_system=None).print(table)
    return [line.rstrip() for line in shown.getvalue().splitlines()]


def _cells(row: Row) -> tuple[str, ...]:
    said = (row.logical_name, row.physical_name, row.domain_text, row.data_type, row.method)
    confidence = "" if row.confidence is None else f"{row.confidence:.2f}"
    texts = (text or "" for text in said)
    return (_label(row), row.status, *texts, confidence, cite_row(row.citations))


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        write_text(printable(line))
