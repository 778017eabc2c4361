"""The spans of a run as a tree beside its time line, with the status and error of each."""

from typing import Final

from markupsafe import Markup

from minerva_observability.dashboard.widgets.markup import as_mapping, join, name_of, tag
from minerva_observability.dashboard.widgets.span_tree import Node, Timeline
from minerva_observability.dashboard.widgets.status import badge, sign_of
from minerva_observability.dashboard.widgets.text import (
    MESSAGE_LENGTH,
    duration,
    money,
    quantity,
    visible,
)

SPANS_SHOWN: Final = 2_000
_MARKS: Final = 4
"""Parts into which the time line is divided."""


def waterfall(timeline: Timeline) -> Markup:
    """Return a table with one row for each span: tree, status, self and total time, bar."""
    spans = list(timeline.walk())
    heads = (
        tag("th", "span", scope="col"),
        tag("th", "status", scope="col"),
        tag("th", "self", scope="col", class_="number", title="Time in which no child ran"),
        tag("th", "total", scope="col", class_="number"),
        tag("th", _ruler(timeline), scope="col", class_="line"),
    )
    rows = (_row(depth, node) for depth, node in spans[:SPANS_SHOWN])
    inner = tag(
        "table",
        tag("caption", "Spans of the run in order of time", class_="unseen"),
        tag("thead", tag("tr", *heads)),
        tag("tbody", *rows),
        class_="waterfall",
    )
    whole = tag("div", inner, class_="scroll", tabindex="0", role="region", aria_label="Waterfall")
    for _, gap in timeline.gaps:
        told = f"{duration(gap)} in which nothing ran are cut out where the line is dotted."
        whole += tag("p", told, class_="nothing")
    if len(spans) > SPANS_SHOWN:
        whole += tag("p", f"The first {SPANS_SHOWN:,} of {len(spans):,} spans.", class_="nothing")
    return whole


def _ruler(timeline: Timeline) -> Markup:
    marks = (
        tag("span", duration(timeline.ms * part / _MARKS), style=f"left:{100 * part / _MARKS}%")
        for part in range(_MARKS)
    )
    gaps = (
        tag("i", class_="gap", style=f"left:{100 * at:.2f}%", title=f"{duration(gap)} cut out")
        for at, gap in timeline.gaps
    )
    return tag("div", *marks, *gaps, class_="ruler")


def _row(depth: int, node: Node) -> Markup:
    row = node.row
    status = row["status"] if row else None
    tone = sign_of(status).tone
    place = f"left:{100 * node.offset:.3f}%;width:{100 * node.width:.3f}%"
    bar = tag("div", tag("span", class_=f"bar {node.kind} {tone}", style=place), class_="track")
    self_ms = row.get("self_ms") if row else None
    return tag(
        "tr",
        tag("th", _name(node), _more(node), scope="row", style=f"--depth:{depth}"),
        tag("td", _ending(node)),
        tag("td", duration(self_ms), class_="number"),
        tag("td", duration(node.ms) if row else "", class_="number"),
        tag("td", bar, class_="line"),
        class_=f"{node.kind} {tone}",
        title=visible(node.path, limit=200),
    )


def _name(node: Node) -> Markup:
    kind = tag("small", node.kind, class_="kind")
    return kind + tag("span", name_of(visible(node.name)), class_="name")


def _ending(node: Node) -> Markup:
    if node.row is None:
        return badge(None)
    status, reason = node.row["status"], node.row.get("reason")
    is_quiet = status == "ok" and node.kind not in {"run", "agent"}
    if is_quiet:
        return tag("span", "ok", class_="zero")
    return badge(status, more=visible(reason) if reason else "")


def _more(node: Node) -> Markup:
    """Return the details of a span: attempt, action, waiting, tokens, cost and error."""
    row = node.row
    if row is None:
        return Markup()
    done: list[str] = []
    told: list[str] = []
    if (attempt := row.get("attempt", 1)) > 1:
        done.append(f"attempt {attempt}")
    if action := row.get("action"):
        done.append(sign_of(action).word)
    if because_of := row.get("because_of"):
        done.append(f"because of {visible(because_of, limit=120)}")
    if by := as_mapping(row.get("decision")).get("by"):
        told.append(f"by {visible(str(by), limit=60)}")
    if waited := row.get("waited_ms"):
        told.append(f"waited {duration(waited)} for a person")
    tokens = row.get("prompt_tokens", 0) + row.get("completion_tokens", 0)
    if tokens:
        told.append(quantity(tokens, "token"))
    if (cost := row.get("cost")) is not None:
        told.append(money(cost))
    words = _words(done, "told warn") + _words(told, "told")
    if (error := row.get("error")) is None:
        return words
    message = visible(error.get("message") or "", limit=MESSAGE_LENGTH)
    where = error.get("where")
    place = tag("small", visible(where, limit=120)) if where else Markup()
    kind = tag("b", name_of(visible(error.get("type") or "error")))
    return join((words, tag("div", kind, " ", name_of(message), " ", place, class_="error")))


def _words(words: list[str], classes: str) -> Markup:
    return tag("small", " · ".join(words), class_=classes) if words else Markup()
