"""The decisions of routers in one run: goals, scores and the runner-up."""

from collections.abc import Sequence
from typing import Any, Final

from markupsafe import Markup

from minerva_observability.dashboard.widgets.markup import (
    Column,
    as_list,
    as_mapping,
    figure,
    join,
    name_of,
    table,
    tag,
)
from minerva_observability.dashboard.widgets.panels import nothing
from minerva_observability.dashboard.widgets.text import NOTHING, duration, quantity, visible
from minerva_observability.records.record import RecordRow

SCORES_SHOWN: Final = 6


def decision_table(rows: Sequence[RecordRow]) -> Markup:
    """Return a table of the run's decisions, in the order in which they were made."""
    routes = [row for row in rows if row["kind"] == "route"]
    if not routes:
        return nothing("No router was asked in this run.")
    columns: list[Column[RecordRow]] = [
        Column("path", lambda row: name_of(visible(row["path"])), heads_row=True),
        Column("goals", _goals),
        Column("scores", _scores, classes="scores"),
        Column("runner-up", lambda row: _text(_decision(row).get("runner_up"))),
        figure(
            "margin",
            lambda row: _number(_decision(row).get("margin")),
            hint="How far the chosen member was ahead of the runner-up",
        ),
        Column("router", _router),
        figure("time", lambda row: duration(row["ms"])),
    ]
    return table(columns, routes, caption="Routing decisions of the run")


def _decision(row: RecordRow) -> dict[str, Any]:
    return as_mapping(row.get("decision"))


def _goals(row: RecordRow) -> Markup:
    goals = [_text(goal) for goal in as_list(_decision(row).get("goals"))]
    finish = _decision(row).get("finish") is True
    if not goals:
        return tag("span", "none: finished" if finish else "none", class_="zero")
    chosen = tag("ol", *(tag("li", goal) for goal in goals), class_="plain")
    unserved = len(as_list(_decision(row).get("unserved")))
    if not unserved:
        return chosen
    return join((chosen, tag("small", f"{quantity(unserved, 'part')} unserved")))


def _scores(row: RecordRow) -> Markup:
    scores = as_mapping(_decision(row).get("scores"))
    if not scores:
        return tag("span", NOTHING, class_="zero")
    pairs = [
        (name, float(score)) for name, score in scores.items() if isinstance(score, (int, float))
    ]
    pairs.sort(key=lambda pair: -pair[1])
    low = min((score for _, score in pairs), default=0.0)
    span = max((score for _, score in pairs), default=0.0) - low
    widths = [100 * (score - low) / span if span else 100.0 for _, score in pairs]
    chosen = {str(goal) for goal in as_list(_decision(row).get("goals"))}
    items = [
        tag(
            "li",
            name_of(visible(name, limit=40)),
            tag("span", f"{score:.2f}", class_="figure"),
            tag("i", class_="meter", style=f"--part:{width:.0f}%"),
            class_="chosen" if name in chosen else None,
        )
        for (name, score), width in zip(pairs[:SCORES_SHOWN], widths, strict=False)
    ]
    if len(pairs) > SCORES_SHOWN:
        items.append(tag("li", f"+{len(pairs) - SCORES_SHOWN} more", class_="zero"))
    return tag("ul", *items)


def _router(row: RecordRow) -> Markup:
    arm = row.get("arm")
    name = name_of(visible(row.get("router") or NOTHING))
    return join((name, tag("small", " arm ", name_of(visible(arm))))) if arm else name


def _text(value: Any) -> Markup:
    return name_of(visible(str(value))) if value else tag("span", NOTHING, class_="zero")


def _number(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, (int, float)) else NOTHING
