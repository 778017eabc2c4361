"""Agents and nodes as a table whose cells are warmer the longer a node takes.

It is a table and not a chart, so it can be read aloud, copied, and scrolled on a phone.
"""

import math
from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from minerva_observability.dashboard.server.address import View
from minerva_observability.dashboard.server.site import Site
from minerva_observability.dashboard.widgets.markup import name_of, tag
from minerva_observability.dashboard.widgets.text import duration, quantity, visible
from minerva_observability.metrics.figures import Figures

NODES_SHOWN: Final = 40
ROOMY: Final = 8
"""The number of nodes whose names fit beside each other."""
WARMEST: Final = 78
"""Percent of the accent colour in the warmest cell; more would hide the figure in it."""


def heat_map(nodes: Sequence[Figures], site: Site, view: View) -> Markup:
    """Return a table of mean durations.

    Warmth grows with the logarithm of the duration, because durations differ by powers of ten.
    """
    rows = [row for row in nodes if row.mean_ms is not None]
    names = list(dict.fromkeys(row.name for row in sorted(rows, key=lambda row: -row.self_ms)))
    shown = names[:NODES_SHOWN]
    agents: dict[str, dict[str, Figures]] = {}
    for row in rows:
        agents.setdefault(row.agent_name or "", {})[row.name] = row
    low = min((row.mean_ms or 0 for row in rows), default=0)
    high = max((row.mean_ms or 0 for row in rows), default=0)
    heads = (
        tag("th", tag("span", name_of(visible(name, limit=28))), scope="col", title=visible(name))
        for name in shown
    )
    head = tag("tr", tag("th", "agent", scope="col"), *heads)
    body = (
        tag(
            "tr",
            tag("th", site.agent(agent, view), scope="row"),
            *(_cell(cells.get(name), low, high) for name in shown),
        )
        for agent, cells in agents.items()
    )
    caption = "Mean duration of each node of each agent"
    inner = tag(
        "table",
        tag("caption", caption, class_="unseen"),
        tag("thead", head),
        tag("tbody", *body),
        class_="heat roomy" if len(shown) <= ROOMY else "heat",
    )
    whole = tag("div", inner, class_="scroll", tabindex="0", role="region", aria_label=caption)
    if len(names) > NODES_SHOWN:
        rest = f"{NODES_SHOWN} of {len(names)} nodes, those with most time; choose a team or agent."
        whole += tag("p", rest, class_="nothing")
    return whole


def _cell(row: Figures | None, low: float, high: float) -> Markup:
    if row is None or row.mean_ms is None:
        return tag("td", class_="none")
    warmth = _warmth(row.mean_ms, low, high)
    told = f"{quantity(row.calls, 'call')}, p95 {duration(row.p95_ms)}"
    if row.failures:
        told += f", {quantity(row.failures, 'failure')}"
    content = duration(row.mean_ms)
    mark = tag("i", "✕", aria_label="has failures") if row.failures else Markup()
    return tag(
        "td",
        content,
        mark,
        style=f"--warmth:{warmth:.0f}%",
        title=told,
        class_="hot" if warmth > WARMEST / 2 else None,
    )


def _warmth(ms: float, low: float, high: float) -> float:
    floor = max(low, 0.001)
    span = math.log(max(high, floor) / floor)
    part = math.log(max(ms, floor) / floor) / span if span else 1.0
    return 4 + part * (WARMEST - 4)
