"""Tables that several pages share: agents, nodes, failures, runs."""

from collections.abc import Sequence

from markupsafe import Markup

from minerva_observability.dashboard.server.address import View
from minerva_observability.dashboard.server.site import Look, Site
from minerva_observability.dashboard.widgets.markup import Column, figure, join, name_of, table, tag
from minerva_observability.dashboard.widgets.panels import nothing
from minerva_observability.dashboard.widgets.status import badge
from minerva_observability.dashboard.widgets.text import (
    MESSAGE_LENGTH,
    NOTHING,
    count,
    duration,
    money,
    percent,
    visible,
)
from minerva_observability.metrics.figures import FailureFigures, Figures, RunFigures, TimePart

_SHORT_MESSAGE = 160


def share(part: float) -> Markup:
    """Return a percentage with a bar behind it."""
    bar = tag("span", class_="meter", style=f"--part:{min(max(part, 0), 1) * 100:.1f}%")
    return tag("span", bar, percent(part), class_="metered")


def trouble(number: int, tone: str) -> Markup:
    """Return a count that stands out in `tone` unless it is 0."""
    return tag("span", count(number), class_=tone if number else "zero")


def latency_columns() -> list[Column[Figures]]:
    """Return the columns of durations."""
    return [
        figure("mean", lambda row: duration(row.mean_ms)),
        figure("p50", lambda row: duration(row.p50_ms)),
        figure("p95", lambda row: duration(row.p95_ms)),
        figure("p99", lambda row: duration(row.p99_ms)),
        figure("max", lambda row: duration(row.max_ms), classes="wide"),
    ]


def trouble_columns() -> list[Column[Figures]]:
    """Return the columns of failures, bypasses and retries."""
    return [
        figure("failures", lambda row: trouble(row.failures, "bad")),
        figure(
            "bypassed",
            lambda row: trouble(row.bypasses, "warn"),
            hint="Failures that did not end the run",
        ),
        figure(
            "retries",
            lambda row: trouble(row.retries, "plain"),
            classes="wide",
            hint="Failed tries after which another try was made",
        ),
    ]


def agent_table(rows: Sequence[Figures], site: Site, view: View, *, caption: str) -> Markup:
    """Return a table of agents with all their figures."""
    if not rows:
        return nothing("No calls of agents in this selection.")
    columns: list[Column[Figures]] = [
        Column("agent", lambda row: site.agent(row.name, view), heads_row=True),
        Column("team", lambda row: site.team(row.team, view)),
        figure("calls", lambda row: count(row.calls)),
        *trouble_columns(),
        *latency_columns(),
        figure("self time", lambda row: duration(row.self_ms), hint="Time in which no child ran"),
        figure("share", lambda row: share(row.share), hint="Its part of all self time"),
    ]
    return table(columns, rows, caption=caption)


def node_table(rows: Sequence[Figures], site: Site, view: View, *, caption: str) -> Markup:
    """Return a table of nodes of agents with their figures."""
    if not rows:
        return nothing("No nodes in this selection.")
    columns: list[Column[Figures]] = [
        Column("node", lambda row: name_of(visible(row.name)), heads_row=True),
        Column("agent", lambda row: site.agent(row.agent_name or "", view)),
        figure("calls", lambda row: count(row.calls)),
        *trouble_columns(),
        *latency_columns(),
        figure("share", lambda row: share(row.share)),
    ]
    return table(columns, rows, caption=caption)


def time_table(parts: Sequence[TimePart], agent: str) -> Markup:
    """Return a table of where an agent's time goes; its waits follow, and are no part of it."""
    if not parts:
        return nothing("No call in this selection.")
    whole = sum(part.ms for part in parts if part.kind != "wait")
    own = {"agent": "own code", "run": "own code", "members": "members, or side by side"}
    columns: list[Column[TimePart]] = [
        Column(
            "part",
            lambda row: name_of(visible(row.name or own.get(row.kind, row.kind))),
            heads_row=True,
        ),
        Column("kind", lambda row: visible(row.kind)),
        figure("spans", lambda row: count(row.spans)),
        figure("time", lambda row: f"{'-' * (row.ms < 0)}{duration(abs(row.ms))}"),
        figure(
            "share", lambda row: "beside" if row.kind == "wait" else share(row.ms / (whole or 1.0))
        ),
    ]
    return table(columns, parts, caption=f"Time of {visible(agent)}: {duration(whole)}")


def cause(failure: FailureFigures) -> Markup:
    """Return the error of a failure; a long message unfolds on a click."""
    kind = tag("b", name_of(visible(failure.error_type or "no error recorded")))
    message = failure.message or ""
    if not message:
        return kind
    shown = visible(message, limit=_SHORT_MESSAGE)
    if len(message) <= _SHORT_MESSAGE:
        return join((kind, " ", name_of(shown)))
    rest = tag("pre", name_of(visible(message, limit=MESSAGE_LENGTH * 5)))
    return kind + tag("details", tag("summary", name_of(shown)), rest, class_="more")


def failure_table(
    rows: Sequence[FailureFigures], site: Site, view: View, look: Look, *, caption: str
) -> Markup:
    """Return a table of failures by place and cause, the most frequent first."""
    if not rows:
        return nothing("Nothing failed in this selection.")
    columns: list[Column[FailureFigures]] = [
        Column("where", lambda row: _place(row, site, view), heads_row=True),
        Column("status", lambda row: badge(row.status)),
        Column("action", _consequence),
        Column("cause", cause, classes="long"),
        figure("count", lambda row: count(row.count)),
        figure("last", lambda row: look.time(row.last_at)),
        Column("newest run", lambda row: site.run(row.run_id), classes="mono"),
    ]
    return table(columns, rows, caption=caption)


def _place(row: FailureFigures, site: Site, view: View) -> Markup:
    agent = site.agent(row.agent_name, view)
    return agent + tag("small", " › ", name_of(visible(row.node))) if row.node else agent


def _consequence(row: FailureFigures) -> Markup:
    if row.action is None:
        return tag("span", "its caller decided", class_="zero")
    return badge(row.action)


def run_table(
    rows: Sequence[RunFigures], site: Site, look: Look, *, caption: str, brief: bool = False
) -> Markup:
    """Return a table of runs; with `brief`, without the columns that need a wide page."""
    if not rows:
        return nothing("No runs in this selection.")
    columns: list[Column[RunFigures]] = [
        Column("run", lambda row: site.run(row.run_id), heads_row=True, classes="mono"),
        Column("ended", lambda row: look.time(row.ended_at)),
        Column("status", lambda row: badge(row.status, more=row.reason or "")),
        figure("time", lambda row: duration(row.ms)),
        figure("calls", lambda row: count(row.workers)),
        figure("failures", lambda row: trouble(row.failures, "bad")),
        figure("bypassed", lambda row: trouble(row.bypasses, "warn")),
    ]
    if not brief:
        more: list[Column[RunFigures]] = [
            figure("decisions", lambda row: count(row.routing_calls)),
            figure("tokens", _tokens),
            figure("cost", lambda row: money(row.cost, row.unpriced_calls)),
            Column(
                "thread",
                lambda row: name_of(visible(row.thread_id or NOTHING, limit=16)),
                classes="mono",
            ),
        ]
        columns += more
    return table(columns, rows, caption=caption)


def _tokens(row: RunFigures) -> str:
    number = row.prompt_tokens + row.completion_tokens
    return count(number) if number else NOTHING
