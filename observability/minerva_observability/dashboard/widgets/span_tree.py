"""The spans of one run as a tree along a time line, even if a part of the run is missing.

A run that was killed leaves spans whose parents were never written. These parents are added,
without an end. A run that waited for a person may have hours in which nothing ran. Such gaps take
no space on the time line.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from minerva_observability.dashboard.widgets.markup import as_mapping
from minerva_observability.records.record import RecordRow

GAP_MS: Final = 1_000.0
"""Milliseconds; a longer time in which nothing ran is cut out of the time line."""
WAITING: Final = ("pause", "decision")
"""The kinds of rows about a question to a person."""
BETWEEN_PARTS: Final = ("person", "queue", "lease")
"""The waits in which no part of the run goes on, so they have no place on the time line."""
_CALLS: Final = {"run", "agent", "start"}
_ORDER: Final = {"route": 0}


@dataclass(slots=True)
class Node:
    """A span and its children."""

    path: str
    kind: str
    name: str
    begin_ms: float
    """Milliseconds since 1970."""
    ms: float
    row: RecordRow | None = None
    """None if the span has no record, because it never ended."""
    below: list["Node"] = field(default_factory=list["Node"])
    offset: float = 0.0
    """Where it begins on the time line, 0 to 1."""
    width: float = 0.0
    """Its part of the time line, 0 to 1."""

    @property
    def end_ms(self) -> float:
        """When it ended, milliseconds since 1970."""
        return self.begin_ms + self.ms

    def walk(self, depth: int = 0) -> Iterator[tuple[int, "Node"]]:
        """Yield this node and all nodes below it, each with its depth."""
        yield depth, self
        for node in self.below:
            yield from node.walk(depth + 1)


@dataclass(frozen=True, slots=True)
class Timeline:
    """The spans of a run on a time line."""

    roots: tuple[Node, ...]
    ms: float
    """Length of the time line without the gaps, milliseconds."""
    gaps: tuple[tuple[float, float], ...]
    """Each gap's place on the time line, 0 to 1, and its length in milliseconds."""

    def walk(self) -> Iterator[tuple[int, Node]]:
        """Yield all spans, each with its depth and before its children."""
        for root in self.roots:
            yield from root.walk()


def build_timeline(rows: Sequence[RecordRow]) -> Timeline:
    """Return the spans of one run as trees on a time line; `rows` may come in any order."""
    nodes: dict[str, Node] = {}
    for row in rows:
        if row["kind"] != "wait" or row.get("reason") not in BETWEEN_PARTS:
            nodes.setdefault(row["span_id"], _node(row))
    missing: dict[str, Node] = {}
    roots: list[Node] = []
    for node in list(nodes.values()):
        above = _asker(node, nodes.values()) or _parent(node, nodes)
        if above is not None and above is not node:
            above.below.append(node)
        elif node.kind == "run":
            roots.append(node)
        else:
            _put_in(node, missing, roots, _by_path(nodes.values()))
    reached = {id(node) for node in _all(roots)}
    for node in nodes.values():
        if id(node) not in reached:  # its parents lead back to itself
            node.below.clear()
            roots.append(node)
    for node in _all(roots):
        node.below.sort(key=_place)
    for node in missing.values():
        _stretch(node)
    roots.sort(key=_place)
    return _laid_out(tuple(roots))


def _node(row: RecordRow) -> Node:
    ms = max(float(row["ms"]), 0.0)
    begin = _since_1970(row.get("started_at"))
    end = _since_1970(row.get("timestamp"))
    if begin is None:
        begin = end - ms if end is not None else 0.0
    return Node(row["path"], row["kind"], _name(row), begin, ms, row)


def _parent(node: Node, nodes: Mapping[str, Node]) -> Node | None:
    return nodes.get(str(node.row.get("parent_id", ""))) if node.row else None


def _asker(node: Node, nodes: Iterable[Node]) -> Node | None:
    """Return the call that waits for a person, if `node` is its question or the answer to it.

    The call of a worker has a row for each part of the run; the question belongs to the last one
    that had begun when it was asked.
    """
    if node.kind not in WAITING:
        return None
    calls = [each for each in nodes if each.kind == "agent" and each.path == node.path]
    begun = [each for each in calls if each.begin_ms <= node.begin_ms]
    return max(begun or calls, key=lambda each: each.begin_ms, default=None)


def _name(row: RecordRow) -> str:
    if row["kind"] in _CALLS:
        return row["path"].rpartition("/")[2] or row["path"]
    if row["kind"] == "route":
        return "routing"
    if row["kind"] == "model":
        return row.get("model") or "model"
    if row["kind"] == "decision":
        return str(as_mapping(row.get("decision")).get("type") or "decision")
    return row.get("node") or (row["kind"] == "wait" and row.get("reason")) or row["kind"]


def _put_in(
    node: Node, missing: dict[str, Node], roots: list[Node], nodes_by_path: dict[str, Node]
) -> None:
    """Put `node` below the call that its path names; add that call if it has no record."""
    above = node.path if node.kind not in _CALLS else node.path.rpartition("/")[0]
    below = node
    while above:
        parent = nodes_by_path.get(above) or missing.get(above)
        if parent is not None and parent is not below:
            parent.below.append(below)
            return
        parent = Node(above, "agent", above.rpartition("/")[2], below.begin_ms, 0.0)
        missing[above] = parent
        parent.below.append(below)
        below, above = parent, above.rpartition("/")[0]
    roots.append(below)


def _by_path(nodes: Iterable[Node]) -> dict[str, Node]:
    return {node.path: node for node in nodes if node.kind in {"run", "agent"}}


def _all(roots: Iterable[Node]) -> Iterator[Node]:
    for root in roots:
        for _, node in root.walk():
            yield node


def _stretch(node: Node) -> None:
    """Let a span that never ended reach from its first child's start to its last child's end."""
    spans = [below for _, below in node.walk() if below.row is not None]
    if spans:
        node.begin_ms = min(each.begin_ms for each in spans)
        node.ms = max(each.end_ms for each in spans) - node.begin_ms


def _place(node: Node) -> tuple[float, int, float]:
    return node.begin_ms, _ORDER.get(node.kind, 1), node.end_ms


def _laid_out(roots: tuple[Node, ...]) -> Timeline:
    """Set each span's place on one time line, from which gaps between roots are cut out."""
    cut: list[tuple[float, float]] = []
    end = roots[0].begin_ms if roots else 0.0
    for root in roots:
        if root.begin_ms - end > GAP_MS:
            cut.append((end, root.begin_ms - end))
        end = max(end, root.end_ms)
    begin = roots[0].begin_ms if roots else 0.0
    length = max(end - begin - sum(gap for _, gap in cut), 0.001)

    def place(ms: float) -> float:
        passed = sum(min(max(ms - at, 0.0), gap) for at, gap in cut)
        return min(max((ms - begin - passed) / length, 0.0), 1.0)

    for node in _all(roots):
        node.offset = place(node.begin_ms)
        node.width = max(min(node.ms / length, 1 - node.offset), 0.0)
    return Timeline(roots, length, tuple((place(at), gap) for at, gap in cut))


def _since_1970(text: Any) -> float | None:
    try:
        return datetime.fromisoformat(str(text)).timestamp() * 1000
    except ValueError:
        return None
