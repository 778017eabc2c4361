"""The tree of a run's hops, grown from live spans or from the rows of `runs.jsonl`.

Both come as the same rows, so the tree that a person watches and the one that
`minerva runs` shows later cannot disagree.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

Row = Mapping[str, Any]
"""A row of `runs.jsonl`, or the part of it that a started span already has."""


_CALLS = {"run", "agent", "start"}


@dataclass(slots=True)
class SpanLine:
    """One try of one node, model or tool call inside a worker, or a router's answer."""

    name: str
    kind: str
    status: str
    ms: float
    self_ms: float
    attempt: int = 1
    waited_ms: float = 0.0
    """Milliseconds that a person took to answer."""
    by: str = ""
    """Who decided, on a decision."""
    action: str | None = None
    error: Mapping[str, str] | None = None
    span_id: str = ""
    parent_id: str = ""
    started_ns: int = 0
    goals: tuple[str, ...] | None = None
    """The members that a router chose; None of any other step."""
    steps: list["SpanLine"] = field(default_factory=list["SpanLine"])
    """The steps inside it: the model and tool calls of a node."""


@dataclass(slots=True)
class Route:
    """The answer of a supervisor's router."""

    goals: tuple[str, ...]
    router: str
    ms: float
    scores: Mapping[str, float] = field(default_factory=dict[str, float])
    runner_up: str | None = None
    margin: float | None = None
    unserved: int = 0
    """Parts of the request that no member serves."""


@dataclass(slots=True)
class CallLine:
    """The run itself, a team's visit or a worker's call."""

    path: str
    status: str | None = None
    """None while it runs, or if the process was killed."""
    started_ns: int = 0
    ms: float | None = None
    self_ms: float = 0.0
    reason: str | None = None
    action: str | None = None
    error: Mapping[str, str] | None = None
    role: str | None = None
    """Why it was called; None if that is not on record."""
    is_resumed: bool = False
    """True if it waited for a person, and goes on."""
    passed_to: tuple[str, ...] = ()
    """The members to which it passed control."""
    effects: tuple[str, ...] = ()
    """What it did to the world, with the outcome: `pay done`."""
    started_run: str | None = None
    """The background run that it began."""
    started_by: str | None = None
    """The run that began it, on a background run."""
    progress: str = ""
    """How far it has said it is: `3/10 reading B`."""
    steps: list[SpanLine] = field(default_factory=list[SpanLine])
    routes: list[Route] = field(default_factory=list[Route])
    running: dict[str, str] = field(default_factory=dict[str, str])
    """The nodes that run now, by span id."""
    hops: list["CallLine"] = field(default_factory=list["CallLine"])

    @property
    def name(self) -> str:
        """The last part of the path: `auditor_agent`, `insilico#2`."""
        return self.path.rpartition("/")[2]

    def walk(self) -> Iterator["CallLine"]:
        """Yield this hop and all below it."""
        yield self
        for hop in self.hops:
            yield from hop.walk()


class HopTree:
    """The hops of one run by path, with their roots."""

    def __init__(self) -> None:
        self.by_path: dict[str, CallLine] = {}
        self.steps: dict[str, SpanLine] = {}
        """By span id."""
        self.roots: list[CallLine] = []
        self.run_id: str | None = None

    @classmethod
    def from_rows(cls, rows: Iterable[Row]) -> "HopTree":
        """Return the tree of a recorded run. Unfinished spans stay open in it."""
        tree = cls()
        in_order = sorted(rows, key=_start_of)
        waits = _waits(in_order)
        for row in in_order:
            tree.close(row, started_ns=_without(waits, timestamp_to_ns(row.get("started_at"))))
        return tree

    @property
    def workers(self) -> list[CallLine]:
        """The calls of workers, in order of start."""
        leaves = [hop for hop in self.by_path.values() if not hop.hops and not hop.routes]
        return sorted((hop for hop in leaves if "/" in hop.path), key=lambda hop: hop.started_ns)

    def open(self, row: Row) -> None:
        """Add a span that just started."""
        if row["kind"] in _CALLS:
            hop = self._hop(row["path"])
            hop.started_ns = row["started_ns"]
            hop.status = None  # a row of what was left out for it may have come before
            hop.is_resumed = bool(row.get("resume_no"))
            hop.role = row.get("role")
            self.run_id = self.run_id or row["run_id"]
        elif row["kind"] == "node":
            self._hop(row["path"]).running[row["span_id"]] = row["node"]

    def close(self, row: Row, *, started_ns: int | None = None) -> None:
        """Add a finished span, which began at `started_ns` if the caller counts from elsewhere.

        A call that waited for a person has a row for each part in which it worked. Their times
        add up; the last one says how it ended.
        """
        hop = self._hop(row["path"])
        self.run_id = self.run_id or row["run_id"]
        began_ns = started_ns or timestamp_to_ns(row.get("started_at"))
        if row["kind"] != "wait":
            hop.started_ns = hop.started_ns or began_ns
        if row["kind"] in _CALLS:
            idle_ms = row.get("idle_ms", 0.0) if row["kind"] == "agent" else 0.0
            hop.status, hop.ms = row["status"], (hop.ms or 0.0) + row["ms"] - idle_ms
            hop.self_ms += row.get("self_ms", 0.0)
            hop.reason, hop.action = row.get("reason"), row.get("action")
            hop.started_run, hop.started_by = row.get("background"), row.get("started_by")
            hop.error, hop.role = row.get("error"), row.get("role")
            hop.passed_to = tuple(str(one.get("to")) for one in _decision_items(row, "transfers"))
            did = _decision_items(row, "effects")
            hop.effects = tuple(f"{one.get('name')} {one.get('outcome')}" for one in did)
            return
        step = _step(row, began_ns)
        if row["kind"] == "route":
            hop.routes.append(_route(row))
            step.goals = hop.routes[-1].goals
        elif row["kind"] == "progress":
            state = cast("Mapping[str, Any]", row.get("decision") or {})
            hop.progress = f"{state.get('done')}/{state.get('of')} {state.get('text', '')}".rstrip()
            return
        if row["kind"] == "wait" and row.get("reason") == "person":
            return  # the decision says it
        hop.running.pop(row["span_id"], None)
        self._add(step, hop)

    def _add(self, step: SpanLine, hop: CallLine) -> None:
        """Put a step into the one it ran inside of, and into it those that were there before.

        What is inside ends first, but the rows of a run are sorted by their start.
        """
        self.steps[step.span_id] = step
        above = self.steps.get(step.parent_id)
        (above or hop).steps.append(step)
        inside = [each for each in hop.steps if each.parent_id == step.span_id]
        if inside:
            step.steps += inside
            hop.steps = [each for each in hop.steps if each.parent_id != step.span_id]

    def _hop(self, path: str) -> CallLine:
        if path not in self.by_path:
            above = path.rpartition("/")[0]
            beside = self._hop(above).hops if above else self.roots
            hop = self.by_path[path] = CallLine(path)
            beside.append(hop)
        return self.by_path[path]


def _route(row: Row) -> Route:
    decision: Mapping[str, Any] = row.get("decision") or {}
    return Route(
        goals=tuple(decision.get("goals", ())),
        router=row.get("router", ""),
        ms=row["ms"],
        scores=decision.get("scores", {}),
        runner_up=decision.get("runner_up"),
        margin=decision.get("margin"),
        unserved=len(decision.get("unserved", ())),
    )


def _decision_items(row: Row, key: str) -> list[Mapping[str, Any]]:
    decision = cast("Mapping[str, Any]", row.get("decision") or {})
    return [*decision.get(key, ())]


def _step(row: Row, started_ns: int) -> SpanLine:
    decision: object = row.get("decision") if row["kind"] == "decision" else None
    decided: Mapping[str, Any] = {}
    if isinstance(decision, Mapping):
        decided = cast("Mapping[str, Any]", decision)
    return SpanLine(
        name=(row["kind"] == "route" and "route")
        or (row["kind"] == "wait" and row.get("reason"))
        or row.get("node")
        or row.get("model")
        or str(decided.get("type") or row["kind"]),
        kind=row["kind"],
        status=row["status"],
        ms=row["ms"],
        self_ms=row.get("self_ms", 0.0),
        attempt=row.get("attempt", 1),
        waited_ms=row.get("waited_ms", 0.0),
        by=str(decided.get("by") or ""),
        action=row.get("action"),
        error=row.get("error"),
        span_id=row["span_id"],
        parent_id=row.get("parent_id", ""),
        started_ns=started_ns,
    )


def _waits(in_order: Iterable[Row]) -> list[tuple[int, int]]:
    """Return when each wait between two parts of the run began, and how long it was, in ns."""
    waits: list[tuple[int, int]] = []
    ended_ns = 0
    for row in in_order:
        if row["kind"] == "run" and (began_ns := timestamp_to_ns(row.get("started_at"))):
            if 0 < ended_ns < began_ns:
                waits.append((ended_ns, began_ns - ended_ns))
            ended_ns = max(ended_ns, began_ns + round(row["ms"] * 1e6))
    return waits


def _without(waits: Iterable[tuple[int, int]], ns: int) -> int:
    """Return `ns` less what the run has waited before."""
    return ns - sum(min(max(ns - at, 0), waited) for at, waited in waits)


def _start_of(row: Row) -> tuple[str, int]:
    """Return the sort key of a row: its start, to the millisecond.

    Of agents that began together the longest comes first; nodes follow each other, so the
    order in which they ended, which is that of the file, is theirs.
    """
    together = -round(row["ms"]) if row["kind"] == "agent" else 0
    return str(row.get("started_at", "")), together


def timestamp_to_ns(timestamp: str | None) -> int:
    """Return nanoseconds since 1970; 0 for what is no time."""
    if timestamp is None:
        return 0
    try:
        return round(datetime.fromisoformat(timestamp).timestamp() * 1000) * 1_000_000
    except ValueError:
        return 0
