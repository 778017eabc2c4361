"""A status or an action as a word, a shape and a colour. Each of the three is enough alone."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from markupsafe import Markup

from minerva_observability.dashboard.widgets.markup import tag
from minerva_observability.dashboard.widgets.text import visible


class Sign(NamedTuple):
    """How a status or an action is shown; the tone chooses the colour."""

    shape: str
    word: str
    tone: str


_SIGNS: Final[Mapping[str | None, Sign]] = {
    "ok": Sign("●", "ok", "good"),
    "ok_degraded": Sign("▲", "degraded", "warn"),
    "needs_human": Sign("◆", "waits for a person", "wait"),
    "paused": Sign("◆", "paused", "wait"),
    "failed": Sign("✕", "failed", "bad"),
    "timeout": Sign("✕", "timed out", "bad"),
    "skipped": Sign("○", "skipped", "calm"),
    "bypassed": Sign("▲", "bypassed", "warn"),
    "substituted": Sign("▲", "substituted", "warn"),
    "left_out": Sign("▲", "left out", "warn"),
    "stopped": Sign("■", "stopped", "bad"),
    "retried": Sign("↻", "retried", "calm"),
    None: Sign("○", "not finished", "calm"),
}


def sign_of(status: str | None) -> Sign:
    """Return the sign of a status or an action; an unknown one is shown as it is."""
    return _SIGNS.get(status) or Sign("○", visible(status or "", limit=24), "calm")


def badge(status: str | None, *, more: str = "") -> Markup:
    """Return the shape and the word of a status, with `more` behind them."""
    shape, word, tone = sign_of(status)
    text = f"{word} · {more}" if more else word
    return tag(
        "span", tag("i", shape, aria_hidden="true"), tag("span", text), class_=f"badge {tone}"
    )


def share_bar(counts: Mapping[str | None, int], *, label: str) -> Markup:
    """Return a bar with parts as wide as their counts, and a legend below it."""
    whole = sum(counts.values()) or 1
    parts = (
        tag("span", class_=sign_of(name).tone, style=f"flex-grow:{number / whole:.4f}")
        for name, number in counts.items()
        if number
    )
    legend = (
        tag("li", badge(name), " ", tag("b", f"{number:,}"))
        for name, number in counts.items()
        if number
    )
    bar = tag("div", *parts, class_="share-bar", role="img", aria_label=label)
    return bar + tag("ul", *legend, class_="legend")
