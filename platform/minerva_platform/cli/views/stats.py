"""Draw the figures of `minerva stats`: the answers in words, then a row for each agent.

A terminal that is too narrow loses the least important columns, never a digit of a number.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from rich.cells import cell_len
from rich.console import Group
from rich.table import Table
from rich.text import Text

from minerva_observability.metrics import Figures
from minerva_observability.records import WaitReason
from minerva_platform.cli.io.stream import one_line
from minerva_platform.cli.records.stats_export import StatsReport
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

_WAITS = read_texts("minerva_platform.cli.views", "waits")

_GAP = 2
_MAX_NAME_CHARACTERS = 40
_SHORT_NAME_CHARACTERS, _MIN_NAME_CHARACTERS = 26, 12
"""Where names end for the sake of a column, and for the sake of one of the dearest."""
_DEAR = 2
"""The rank of the dearest columns."""
_NAMES = {"name", "agent", "team"}
_SECOND, _MINUTE, _HOUR = 1_000, 60_000, 3_600_000
_EXACT_TO = 10
"""Milliseconds below which a digit after the point says something."""


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    text: Callable[[Figures], str]
    rank: int
    """The highest goes first where there is no room; 0 stays."""
    by: str = ""
    """The tables that have it; all without."""


_COLUMNS: tuple[_Column, ...] = (
    _Column("name", lambda each: each.name, 0),
    _Column("agent", lambda each: each.agent_name or "", 3, "node"),
    _Column("team", lambda each: each.team or "", 9, "agent node"),
    _Column("calls", lambda each: f"{each.calls:,}", 0),
    _Column("failures", lambda each: _count(each.failures), 1),
    _Column("bypassed", lambda each: _count(each.bypasses), 5),
    _Column("retries", lambda each: _count(each.retries), 11),
    _Column("pauses", lambda each: _count(each.pauses), 12),
    _Column("mean", lambda each: _ms(each.mean_ms), 2),
    _Column("p50", lambda each: _ms(each.p50_ms), 7),
    _Column("p95", lambda each: _ms(each.p95_ms), 0),
    _Column("p99", lambda each: _ms(each.p99_ms), 8),
    _Column("self", lambda each: _ms(each.self_ms), 6),
    _Column("total", lambda each: _ms(each.total_ms), 10),
    _Column("share", lambda each: f"{each.share:.1%}", 4),
    _Column("tokens in", lambda each: _count(each.prompt_tokens), 4, "model arm"),
    _Column("out", lambda each: _count(each.completion_tokens), 4, "model arm"),
    _Column("cost", lambda each: "" if each.cost is None else f"{each.cost:,.4f}", 3, "model arm"),
)


def draw_stats(report: StatsReport, width: int) -> Group:
    """Return the words and the table, for `width` columns."""
    parts = [*_words(report), Text("")]
    if report.figures:
        table, hidden = _table(report, width)
        parts = [*parts, Text(f"by {report.by}; times in ms", style="dim")]
        note = f"No room for {', '.join(hidden)}: a wider terminal, --csv or --json shows them."
        return Group(*parts, table, *([Text(note, style="dim")] if hidden else []))
    return Group(*parts)


def duration(ms: float) -> str:
    """Return milliseconds as people say them: 8.3 ms, 412 ms, 12.4 s, 8.5 min or 3.2 h."""
    for unit, size in (("h", _HOUR), ("min", _MINUTE), ("s", _SECOND)):
        if ms >= size:
            return f"{ms / size:,.1f} {unit}"
    return f"{_ms(ms)} ms"


def wait_text(reason: str, language: Language) -> str:
    """Return what a wait is for, in words."""
    return _WAITS(reason, language) if reason in get_args(WaitReason) else one_line(reason)


def _words(report: StatsReport) -> Iterator[Text]:
    totals = report.totals
    statuses = ", ".join(f"{count:,} {one_line(name)}" for name, count in totals.statuses.items())
    unfinished = f"{totals.unfinished:,} unfinished" if totals.unfinished else ""
    runs = [f"{totals.runs:,} ended", *filter(None, (statuses, unfinished))]
    if totals.run_p50_ms is not None and totals.run_p95_ms is not None:
        runs.append(f"p50 {duration(totals.run_p50_ms)}, p95 {duration(totals.run_p95_ms)}")
    yield _line("runs", *runs)
    if totals.first_at and totals.last_at:
        span = (f"{each.astimezone():%Y-%m-%d %H:%M}" for each in (totals.first_at, totals.last_at))
        yield _line("period", " to ".join(span))
    yield from _workers(report)
    if totals.routing_calls_per_run is not None and totals.routing_ms_per_run is not None:
        yield _line(
            "routing",
            f"{totals.routing_calls:,} calls",
            f"{totals.routing_calls_per_run:,.1f} calls and "
            f"{duration(totals.routing_ms_per_run)} a run",
            *([] if totals.routing_share is None else [f"{totals.routing_share:.1%} of its time"]),
        )
    yield from _cost_lines(report)


def _workers(report: StatsReport) -> Iterator[Text]:
    totals = report.totals
    workers = [each for each in report.agents if each.is_worker and each.calls]
    if workers:
        slowest = max(workers, key=lambda each: each.mean_ms or 0.0)
        hottest = max(workers, key=lambda each: each.calls)
        mean = duration(slowest.mean_ms or 0.0)
        yield _line("slowest", f"{one_line(slowest.name)}, {mean} on average")
        yield _line("most called", f"{one_line(hottest.name)}, {hottest.calls:,} calls")
    failed = _line(
        "failures",
        f"{totals.failures:,} of {totals.worker_calls:,} calls of workers",
        f"{totals.bypasses:,} bypassed",
    )
    if totals.failures or totals.bypasses:
        failed.stylize("yellow")
    yield failed


def _cost_lines(report: StatsReport) -> Iterator[Text]:
    totals = report.totals
    if totals.waits_ms or totals.asked:
        answers = [f"{totals.asked:,} asked, {totals.decided:,} decided"] if totals.asked else []
        waits = [
            f"{wait_text(reason, 'en')} {duration(ms)}" for reason, ms in totals.waits_ms.items()
        ]
        yield _line("waiting", *waits, *answers, *(["in no other figure"] if waits else []))
    if totals.prompt_tokens or totals.completion_tokens:
        tokens = f"{totals.prompt_tokens:,} tokens in, {totals.completion_tokens:,} out"
        cost = [] if totals.cost is None else [f"cost {totals.cost:,.4f}"]
        yield _line("models", tokens, *cost)


def _line(title: str, *parts: str) -> Text:
    return Text(f"{title:<13}", style="dim").append(" · ".join(parts), style="not dim")


def _table(report: StatsReport, width: int) -> tuple[Table, list[str]]:
    columns = [column for column in _COLUMNS if not column.by or report.by in column.by.split()]
    if not any(each.pauses for each in report.figures):
        columns = [column for column in columns if column.title != "pauses"]
    cells = {
        column.title: [one_line(column.text(each)) for each in report.figures] for column in columns
    }
    shown = _that_fit(columns, cells, width)
    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="dim")
    for column in shown:
        table.add_column(
            column.title,
            justify="left" if column.title in _NAMES else "right",
            no_wrap=True,
            overflow="ellipsis",
            width=_width(column, cells),
        )
    room = max(1, width - _others(shown, cells))
    table.columns[0].width = min(_width(shown[0], cells), room)
    for index, each in enumerate(report.figures):
        row = [Text(cells[column.title][index]) for column in shown]
        if each.failures:
            row[[column.title for column in shown].index("failures")].stylize("red")
        table.add_row(*row)
    return table, [column.title for column in columns if column not in shown]


def _that_fit(columns: Sequence[_Column], cells: dict[str, list[str]], width: int) -> list[_Column]:
    """Leave out the least important columns until the rest has room; a name may be shortened."""
    shown = list(columns)
    while least := max(shown, key=lambda column: column.rank):
        shortest = _SHORT_NAME_CHARACTERS if least.rank > _DEAR else _MIN_NAME_CHARACTERS
        name = min(_width(shown[0], cells), shortest)
        if not least.rank or name + _others(shown, cells) <= width:
            break
        shown.remove(least)
    return shown


def _others(shown: Sequence[_Column], cells: dict[str, list[str]]) -> int:
    """Return the cells that all but the name need, with the gaps between."""
    return sum(_width(column, cells) + _GAP for column in shown[1:])


def _width(column: _Column, cells: dict[str, list[str]]) -> int:
    widest = max((cell_len(text) for text in cells[column.title]), default=0)
    return max(cell_len(column.title), min(widest, _MAX_NAME_CHARACTERS))


def _count(count: int) -> str:
    return f"{count:,}" if count else "-"


def _ms(ms: float | None) -> str:
    if ms is None:
        return "-"
    return f"{ms:,.0f}" if ms >= _EXACT_TO else f"{ms:.1f}"
