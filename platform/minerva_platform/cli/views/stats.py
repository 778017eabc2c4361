"""Draw the figures of `minerva stats`: the answers in words, then a row for each agent.

A terminal that is too narrow loses the least important columns, never a digit of a number.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import get_args

from rich.cells import cell_len
from rich.console import Group
from rich.text import Text

from minerva_observability.metrics import Figures
from minerva_observability.records import CURRENCY, WaitReason
from minerva_platform.cli.io.stream import one_line
from minerva_platform.cli.records.stats_export import StatsReport
from minerva_platform.cli.views.fitted_table import Column, fit_table
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

_WAITS = read_texts("minerva_platform.cli.views", "waits")

TEXTS = read_texts("minerva_platform.cli.views", "stats")
_TITLE = 13
"""The cells of a title, with the blanks after it."""
_NAMES = {"name", "agent", "team"}
_SIZES = {"h": 3_600_000, "min": 60_000, "s": 1_000}
_EXACT_TO = 10
"""Milliseconds below which a digit after the point says something."""


@dataclass(frozen=True, slots=True)
class _Figure:
    title: str
    text: Callable[[Figures], str]
    rank: int
    """The highest goes first where there is no room; 0 stays."""
    by: str = ""
    """The tables that have it; all without."""


_COLUMNS: tuple[_Figure, ...] = (
    _Figure("name", lambda each: each.name, 0),
    _Figure("agent", lambda each: each.agent_name or "", 3, "node"),
    _Figure("team", lambda each: each.team or "", 9, "agent node"),
    _Figure("calls", lambda each: f"{each.calls:,}", 0),
    _Figure("failures", lambda each: _count(each.failures), 1),
    _Figure("bypassed", lambda each: _count(each.bypasses), 5),
    _Figure("retries", lambda each: _count(each.retries), 11),
    _Figure("pauses", lambda each: _count(each.pauses), 12),
    _Figure("mean", lambda each: _ms(each.mean_ms), 2),
    _Figure("p50", lambda each: _ms(each.p50_ms), 7),
    _Figure("p95", lambda each: _ms(each.p95_ms), 0),
    _Figure("p99", lambda each: _ms(each.p99_ms), 8),
    _Figure("self", lambda each: _ms(each.self_ms), 6),
    _Figure("total", lambda each: _ms(each.total_ms), 10),
    _Figure("share", lambda each: f"{each.share:.1%}", 4),
    _Figure("prompt", lambda each: _count(each.prompt_tokens), 4, "model arm"),
    _Figure("completion", lambda each: _count(each.completion_tokens), 4, "model arm"),
    _Figure(
        "cost",
        lambda each: "" if each.cost is None else f"{each.cost:,.4f} {CURRENCY}",
        3,
        "model arm",
    ),
    _Figure("unpriced", lambda each: _count(each.unpriced_calls), 3, "model arm"),
)


def draw_stats(report: StatsReport, width: int, language: Language = "en") -> Group:
    """Return the words and the table, for `width` columns."""
    words = _Words(report, language)
    parts = [*words.runs(), *words.workers(), *words.routing(), *words.models(), Text("")]
    if not report.figures:
        return Group(*parts)
    table = fit_table([*_columns(report, language)], width, language, options="--csv, --json")
    key = "by_with_pauses" if any(each.pauses for each in report.figures) else "by"
    parts.append(Text(TEXTS(key, language, by=report.by), style="dim"))
    return Group(*parts, table)


def duration(ms: float, language: Language = "en") -> str:
    """Return milliseconds as people say them: 8.3 ms, 412 ms, 12.4 s, 8.5 min or 3.2 h."""
    for unit, size in _SIZES.items():
        if ms >= size:
            return TEXTS(f"unit.{unit}", language, count=ms / size)
    return TEXTS("unit.ms", language, count=_ms(ms))


def count_text(key: str, count: int | None, language: Language, **values: str) -> str:
    """Return a text that counts; empty for none."""
    number = "one" if count == 1 else "many"
    return TEXTS(f"{key}.{number}", language, count=count, **values) if count else ""


def money(cost: float | None, unpriced_calls: int = 0, language: Language = "en") -> str:
    """Return a cost with its currency, and the number of calls that it leaves out."""
    cost_text = "" if cost is None else TEXTS("cost", language, cost=cost, currency=CURRENCY)
    return ", ".join(filter(None, (cost_text, count_text("unpriced", unpriced_calls, language))))


def wait_text(reason: str, language: Language) -> str:
    """Return what a wait is for, in words."""
    return _WAITS(reason, language) if reason in get_args(WaitReason) else one_line(reason)


@dataclass(frozen=True, slots=True)
class _Words:
    """The answers in words."""

    report: StatsReport
    language: Language

    def _line(self, title: str, *parts: str) -> Text:
        name = self._text(f"title.{title}") if title else ""
        text = Text(name + " " * (_TITLE - cell_len(name)), style="dim")
        return text.append(" · ".join(filter(None, parts)), style="not dim")

    def _text(self, key: str, **values: object) -> str:
        return TEXTS(key, self.language, **values)

    def _many(self, key: str, count: int | None) -> str:
        return count_text(key, count, self.language)

    def _span(self, ms: float | None) -> str:
        return duration(ms or 0.0, self.language)

    def runs(self) -> Iterator[Text]:
        """Yield the lines about runs: how they ended, how long they took, and when they were."""
        totals = self.report.totals
        statuses = (f"{count:,} {one_line(name)}" for name, count in totals.statuses.items())
        unfinished = self._text("unfinished", count=totals.unfinished) if totals.unfinished else ""
        runs = [self._text("ended", count=totals.runs), ", ".join(statuses), unfinished]
        if totals.run_p50_ms is not None and totals.run_p95_ms is not None:
            p50, p95 = (self._span(each) for each in (totals.run_p50_ms, totals.run_p95_ms))
            runs.append(self._text("percentiles", p50=p50, p95=p95))
        yield self._line("runs", *runs)
        if totals.first_at and totals.last_at:
            first, last = (at.astimezone() for at in (totals.first_at, totals.last_at))
            yield self._line("period", self._text("period", first=first, last=last))

    def workers(self) -> Iterator[Text]:
        """Yield the lines about workers: the slowest, the one most called, and what failed."""
        totals = self.report.totals
        workers = [each for each in self.report.agents if each.is_worker and each.calls]
        if workers:
            slowest = max(workers, key=lambda each: each.mean_ms or 0.0)
            hottest = max(workers, key=lambda each: each.calls)
            name, mean = one_line(slowest.name), self._span(slowest.mean_ms)
            yield self._line("slowest", self._text("on_average", name=name, span=mean))
            name, calls = one_line(hottest.name), hottest.calls
            yield self._line("most_called", self._text("calls_of", name=name, count=calls))
        failures = self._text(
            "failed",
            every=totals.failures_in_all,
            count=totals.failures,
            calls=totals.worker_calls,
        )
        bypassed = self._text("bypassed", count=totals.bypasses)
        if old := totals.bypasses_of_schema_1:
            bypassed += f" ({self._text('old_bypasses', count=old)})"
        failed = self._line("failures", failures, bypassed, self._many("causes", totals.causes))
        if totals.failures_in_all:
            failed.stylize("yellow")
        yield failed
        if in_runs := self._many("in_runs", totals.runs_with_failure):
            yield self._line("", in_runs, self._text("answered", count=totals.runs_answered))

    def routing(self) -> Iterator[Text]:
        """Yield what routing took."""
        totals = self.report.totals
        if totals.routing_calls_per_run is None or totals.routing_ms_per_run is None:
            return
        span, share = self._span(totals.routing_ms_per_run), totals.routing_share
        yield self._line(
            "routing",
            self._text("calls", count=totals.routing_calls),
            self._text("per_run", count=totals.routing_calls_per_run, span=span),
            "" if share is None else self._text("its_share", share=share),
            self._many("tokens_of", totals.routing_tokens),
            money(totals.routing_cost, totals.routing_unpriced_calls, self.language),
        )

    def models(self) -> Iterator[Text]:
        """Yield what was waited for, and what models cost."""
        totals = self.report.totals
        if totals.waits_ms or totals.asked:
            waits = [
                f"{self._span(ms)} {wait_text(reason, self.language)}"
                for reason, ms in totals.waits_ms.items()
            ]
            answers = self._text("answers", asked=totals.asked, decided=totals.decided)
            apart = self._text("in_no_other_figure") if waits else ""
            yield self._line("waiting", *waits, answers if totals.asked else "", apart)
        cost = money(totals.cost, totals.unpriced_calls, self.language)
        if totals.prompt_tokens or totals.completion_tokens or cost:
            counts = {"prompt": totals.prompt_tokens, "completion": totals.completion_tokens}
            yield self._line("models", self._text("tokens", **counts), cost)


def _columns(report: StatsReport, language: Language) -> Iterator[Column]:
    for each in _COLUMNS:
        is_empty = each.title == "pauses" and not any(one.pauses for one in report.figures)
        if is_empty or (each.by and report.by not in each.by.split()):
            continue
        cells = [Text(one_line(each.text(one))) for one in report.figures]
        if each.title == "failures":
            for cell, one in zip(cells, report.figures, strict=True):
                cell.stylize("red" if one.failures else "")
        kind = "name" if each.title in _NAMES else "number"
        yield Column(TEXTS(f"column.{each.title}", language), cells, each.rank, kind)


def _count(count: int) -> str:
    return f"{count:,}" if count else "-"


def _ms(ms: float | None) -> str:
    if ms is None:
        return "-"
    return f"{ms:,.0f}" if ms >= _EXACT_TO else f"{ms:.1f}"
