"""Write a `runs.jsonl` of any length, as a platform of six teams would have left it.

Seeded: the same number of rows gives the same bytes. Durations are log-normal (a few calls are
a hundred times slower than most), one run in fifty loses a worker, one in three asks a model.
"""

import math
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from minerva_observability.records.encoding import to_json
from minerva_observability.records.record import ns_to_timestamp

START_NS: Final = 1_790_000_000_000_000_000
"""2026-09-21T14:13:20Z; a run begins every 2 s, so 5 million rows are nine days."""
BETWEEN_RUNS_NS: Final = 2_000_000_000
TEAMS: Final = {
    "data": ("retrieval_agent", "post_processor_agent", "auditor_agent"),
    "insilico": ("ast_parser_agent", "code_search_agent", "docstring_agent"),
    "governance": ("policy_agent", "compliance_agent"),
    "research": ("scope_agent", "search_agent", "report_agent"),
    "assistant": ("calendar_agent", "mail_agent"),
    "pipeline": ("extract_agent", "transform_agent", "load_agent"),
}
NODES: Final = ("parse", "retrieve", "rerank", "answer")
MODELS: Final = ("gpt-4.1", "gpt-4.1-mini", "llama-3.3-70b")
FAILING: Final = 0.01
"""The share of workers' calls that fail."""
_BLOCK: Final = 2_000
"""Rows that are written at once."""


def write_log(path: Path, rows: int) -> None:
    """Write the first `rows` rows of the endless log to `path`."""
    source = generated_rows()
    with path.open("wb") as file:
        while rows > 0:
            block = b"".join(to_json(row) + b"\n" for row in islice(source, min(rows, _BLOCK)))
            file.write(block)
            rows -= _BLOCK


def generated_rows() -> Iterator[dict[str, Any]]:
    """Yield the rows of one run after the other, children before their parents."""
    chance = random.Random(7)  # noqa: S311  # a seeded source is the point
    number = 0
    while True:
        yield from _Run(number, chance).rows()
        number += 1


class _Run:
    """The rows of one run: a platform, one to three teams, their workers and nodes."""

    def __init__(self, number: int, chance: random.Random) -> None:
        self.chance = chance
        self.run_id = f"{chance.getrandbits(128):032x}"
        self.thread_id = f"thread-{number // 4}"
        self.arm = "challenger" if number % 10 == 0 else "control"
        self.now_ns = START_NS + number * BETWEEN_RUNS_NS
        self.model = chance.choice(MODELS) if number % 3 == 0 else None
        self.degraded = False

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows in the order a run leaves them."""
        hop = self._hop("platform", "platform", "platform_supervisor", None)
        began_ns = self.now_ns
        yield self._route(hop)
        for team in self.chance.sample(sorted(TEAMS), k=self.chance.choice((1, 1, 2, 3))):
            yield from self._team(team, hop)
        digest = f"{self.chance.getrandbits(256):064x}"
        status = "ok_degraded" if self.degraded else "ok"
        below_ms = self._ms_since(began_ns)
        yield self._row(
            "run", hop, began_ns, below_ms=below_ms, status=status, request_sha256=digest
        )

    def _team(self, team: str, parent: "_Hop") -> Iterator[dict[str, Any]]:
        hop = self._hop(f"platform/{team}", team, f"{team}_team_supervisor", parent)
        began_ns = self.now_ns
        yield self._route(hop)
        for worker in TEAMS[team][: self.chance.randint(1, len(TEAMS[team]))]:
            yield from self._worker(worker, hop)
        yield self._row("agent", hop, began_ns, below_ms=self._ms_since(began_ns), step=1)

    def _worker(self, worker: str, parent: "_Hop") -> Iterator[dict[str, Any]]:
        hop = self._hop(f"{parent.path}/{worker}", parent.team, worker, parent)
        began_ns = self.now_ns
        fails = self.chance.random() < FAILING
        for node in NODES[: 2 if fails else len(NODES)]:
            yield from self._node(node, hop)
        fields: dict[str, Any] = {"step": 1}
        if fails:
            self.degraded = True
            error = {"type": "ConnectionError", "message": "the index of codes did not answer"}
            fields |= {"status": "failed", "action": "bypassed", "error": error}
        yield self._row("agent", hop, began_ns, below_ms=self._ms_since(began_ns), **fields)

    def _node(self, node: str, parent: "_Hop") -> Iterator[dict[str, Any]]:
        hop = self._hop(parent.path, parent.team, parent.agent_name, parent)
        began_ns = self.now_ns
        self._pass_time()
        own_ms = self._ms_since(began_ns)
        if node == "answer" and self.model is not None:
            yield self._model_call(hop)
        below_ms = self._ms_since(began_ns) - own_ms
        yield self._row("node", hop, began_ns, below_ms=below_ms, node=node, attempt=1)

    def _route(self, parent: "_Hop") -> dict[str, Any]:
        hop = self._hop(parent.path, parent.team, parent.agent_name, parent)
        began_ns = self.now_ns
        self._pass_time()
        members = TEAMS.get(parent.team, tuple(TEAMS))
        scores = {name: round(self.chance.gauss(0, 1), 4) for name in members}
        goal = max(scores, key=lambda name: scores[name])
        decision = {"finish": True, "scores": scores, "goals": [goal]}
        known: dict[str, Any] = {"node": "supervisor", "router": "embedded", "arm": self.arm}
        return self._row("route", hop, began_ns, **known, decision=decision)

    def _model_call(self, parent: "_Hop") -> dict[str, Any]:
        hop = self._hop(parent.path, parent.team, parent.agent_name, parent)
        began_ns = self.now_ns
        self._pass_time(scale=20)
        prompt, completion = self.chance.randint(200, 4_000), self.chance.randint(10, 600)
        tokens: dict[str, Any] = {"prompt_tokens": prompt, "completion_tokens": completion}
        cost = round(prompt * 2e-6 + completion * 8e-6, 6)
        return self._row("model", hop, began_ns, model=self.model, **tokens, cost=cost)

    def _hop(self, path: str, team: str, agent_name: str, parent: "_Hop | None") -> "_Hop":
        span_id = f"{self.chance.getrandbits(64):016x}"
        return _Hop(path, team, agent_name, span_id, parent.span_id if parent else None)

    def _row(
        self, kind: str, hop: "_Hop", began_ns: int, *, below_ms: float = 0.0, **fields: Any
    ) -> dict[str, Any]:
        """Return the row of a span of `hop` that ends now; `below_ms` of it were its children's."""
        ms = self._ms_since(began_ns)
        row = {
            "schema": 1,
            "timestamp": ns_to_timestamp(self.now_ns),
            "started_at": ns_to_timestamp(began_ns),
            "ms": round(ms, 3),
            "self_ms": round(ms - below_ms, 3),
            "run_id": self.run_id,
            "span_id": hop.span_id,
            "path": hop.path,
            "kind": kind,
            "status": "ok",
            "thread_id": self.thread_id,
            "parent_id": hop.parent_id,
            "team": hop.team,
            "agent_name": hop.agent_name,
            **fields,
        }
        return {name: value for name, value in row.items() if value is not None}

    def _ms_since(self, began_ns: int) -> float:
        return (self.now_ns - began_ns) / 1e6

    def _pass_time(self, *, scale: float = 1.0) -> None:
        self.now_ns += int(scale * 1e6 * math.exp(self.chance.gauss(0, 1.5)))


class _Hop(NamedTuple):
    """Whose row it is."""

    path: str
    team: str
    agent_name: str
    span_id: str
    parent_id: str | None
