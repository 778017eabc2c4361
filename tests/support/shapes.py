"""Trees of teams that one router leads at every level, and the model that leads them.

The model answers by what it is asked alone. So a run that goes on in another process gets the same
answers, and whoever reads what it was asked knows whether anything was asked twice.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from minerva_observability.records import Record
from minerva_observability.records.record import GONE_ON
from minerva_platform import AgentInput, AgentOutput, BaseAgent, Handoff, Model, Run, Team, Transfer
from minerva_platform.contract.router import RouterChoice
from minerva_platform.models import ModelSpec
from minerva_platform.routing import END, START, Network, When, Workflow
from minerva_platform.testing import ModelCall, Reply, StubAgent

DECLARED = ("network", "workflow")
"""The shapes that a team declares. In each a porter works first, who reads the request: in a
network he passes control on with each part, in a workflow the conditions follow what he gives."""
SHAPES = ("embedded", "plan", "tools", "dispatch", *DECLARED)
"""The routers under test. `Leader` knows how each of them asks."""
BY_TOOLS = frozenset({"tools", "dispatch"})
"""The routers that read what members answer, and that may decide again."""
APART = BY_TOOLS | {"network"}
"""The routers that make a call of each part, though one member has several."""
PORTER = "porter"
TEAMS = ("office", "house", "desk")
"""The teams of a tree, from its root down; the lowest leads the workers."""
NOTE = "note-5d1c"
"""What the model notes to itself with its first calls."""

_PARTS = re.compile(r", (?:and|then) ")
_WAYS = (
    "count the {}",
    "count the {} of today",
    "how many {} are there",
    "which {} came in",
    "list all {}",
    "show me the {} of last week",
    "are there new {}",
    "look after the {}",
    "please sort the {}",
    "where are the {}",
    "find the {} of Monday",
    "tell me about the {}",
)


def worker(name: str, behave: Any = None, **contract: Any) -> StubAgent:
    """Return a worker whose subject is its name, as the embedded router learns it."""
    stub = StubAgent(name, behave=behave, **contract)
    stub.examples = examples_of(name)
    return stub


def examples_of(name: str) -> tuple[str, ...]:
    """Return requests about a subject."""
    return tuple(way.format(name) for way in _WAYS)


def asked(*workers: str, then: Sequence[str] = ()) -> str:
    """Return a request with a part for each worker; those of `then` come after the others."""
    first = ", and ".join(f"count the {name}" for name in workers)
    return ", then ".join([first, *(f"count the {name}" for name in then)])


def tree(*workers: BaseAgent[Any, Any], depth: int, **declared: Any) -> Team:
    """Return `depth` teams, one in another; the lowest has the workers and what is `declared`."""
    team = Team(name=TEAMS[depth - 1], description="…", members=workers, **declared)
    for name in reversed(TEAMS[: depth - 1]):
        team = Team(name=name, description="…", members=(team,))
    return team


def model_at(url: str) -> Model:
    """Return the scripted model. It should live as long as the loop in which it is asked."""
    return Model(ModelSpec(name="openai:scripted", base_url=url, timeout=10.0))


def led(team: Team, shape: Any, model: Model) -> Team:
    """Return the tree with its router at every level, prepared.

    A declared shape is that of the lowest teams, which get a porter. Above them examples lead.
    """
    if shape in DECLARED:
        team = declared(team, shape)
        inherit(team, "embedded")
    else:
        team.model = model
        inherit(team, shape)
    team.assembled.prepare()
    return team


def inherit(team: Team, router: RouterChoice) -> None:
    """Give `router` to all teams of a tree that say nothing of theirs."""
    team.router = router if team.router is None else team.router
    for member in team.members:
        if isinstance(member, Team):
            inherit(member, router)


class Called(Handoff):
    """The workers that a request names, for the conditions of a workflow."""

    kind = "desk.called"
    names: tuple[str, ...]


class _Sorted(AgentOutput):
    called: Called | None = None


class Porter(BaseAgent[AgentInput, _Sorted]):
    """Reads who is called, and says nothing himself."""

    name, description = PORTER, "Reads who is called."
    timeout = 60.0

    def __init__(self, shape: str, workers: Sequence[str]) -> None:
        self.shape, self.workers = shape, workers

    def work(self, given: AgentInput) -> _Sorted:
        """Pass control to each worker of a part, or give all names."""
        parts = [
            (name, part)
            for part in _PARTS.split(given.request)
            for name in self.workers
            if name in part
        ]
        if self.shape == "workflow":
            return _Sorted(summary="", called=Called(names=tuple(name for name, _ in parts)))
        passed = tuple(Transfer(to=name, request=part) for name, part in parts)
        return _Sorted(summary="", transfers=passed)


def declared(team: Team, shape: str) -> Team:
    """Return the tree with the declared shape in its lowest teams."""
    if team.assembled.leads_teams:
        inner = [declared(each, shape) for each in team.members if isinstance(each, Team)]
        return Team(name=team.name, description="…", members=inner)
    names = [agent.name for agent in team.assembled.agents]
    called = [name for name in names if name not in team.substitutes.values()]
    router: Network | Workflow
    if shape == "network":
        router = Network(start=PORTER, peers={PORTER: called})
    else:
        after = tuple(_if_called(name) for name in called)
        router = Workflow({START: PORTER, PORTER: after})
    made = Team(
        name=team.name,
        description="…",
        members=(Porter(shape, called), *team.assembled.agents),
        substitutes=team.substitutes,
        router=router,
    )
    made.examples = tuple(text for agent in team.assembled.agents for text in agent.examples)
    return made


def _if_called(name: str) -> When:
    return When(Called, lambda called: name in called.names, then=name, otherwise=END)


def path_to(worker: str, depth: int) -> str:
    """Return the path of a worker of the lowest team."""
    return "/".join([*TEAMS[:depth], worker])


class Leader:
    """A model that gives each member the parts of the request that its workers are asked.

    `below` has the workers of each team; a worker has its own part. With `,  then` in the request a
    model that leads by tools decides once for what stands before it, and once for what follows.
    """

    def __init__(self, below: Mapping[str, Iterable[str]]) -> None:
        self.below = {name: frozenset(workers) for name, workers in below.items()}

    def __call__(self, call: ModelCall) -> Reply:
        """Answer one call of the model."""
        if call.schema_name.endswith("_plan"):
            return self._plan(call)
        said = [message for message in call.messages if message["role"] == "tool"]
        made = [message for message in call.messages if message.get("tool_calls")]
        rounds = call.messages[1]["content"].split(", then ")
        if len(made) >= len(rounds):
            answers = (json.loads(message["content"]) for message in said)
            return Reply(text="; ".join(answer.get("answer", "nothing") for answer in answers))
        calls = self._goals(rounds[len(made)], _offered(call))
        if "task" in call.tools:
            tools = [("task", {"agent_name": name, "description": part}) for name, part in calls]
        else:
            tools = [(name, {"request": part}) for name, part in calls]
        return Reply(text=NOTE if calls else "", tool_calls=tools)

    def _plan(self, call: ModelCall) -> Reply:
        request = call.prompt.partition("Request: ")[2].partition("\n")[0]
        names = re.findall(r"^- (\w+): …?", call.prompt.partition("Members:")[2], re.MULTILINE)
        goals = self._goals(request, names)
        return Reply(json={"goals": [{"member": name, "request": part} for name, part in goals]})

    def _goals(self, request: str, names: Sequence[str]) -> list[tuple[str, str]]:
        goals: list[tuple[str, str]] = []
        for name in names:
            workers = self.below.get(name, {name})
            own = [part for part in _PARTS.split(request) if part.split()[2] in workers]
            if name in self.below and own:  # a team is called once, a worker once for each part
                whole = request if len(own) == len(_PARTS.split(request)) else ", and ".join(own)
                goals.append((name, whole))
            else:
                goals += [(name, part) for part in own]
        return goals


def _offered(call: ModelCall) -> list[str]:
    tools: Any = call.body["tools"]
    if "task" not in call.tools:
        return [name for name in call.tools if name != "think"]
    (task,) = (tool["function"] for tool in tools if tool["function"]["name"] == "task")
    names: list[str] = task["parameters"]["properties"]["agent_name"]["enum"]
    return names


def leader(*workers: str) -> Leader:
    """Return the model for a tree whose every team leads to all `workers`."""
    return Leader(dict.fromkeys((*TEAMS, "platform"), workers))


def asked_twice(calls: Iterable[ModelCall]) -> list[str]:
    """Return what the model was asked more than once."""
    bodies = [json.dumps(call.body, sort_keys=True) for call in calls]
    return sorted({body for body in bodies if bodies.count(body) > 1})


def check_records(run: Run, records: Iterable[Record]) -> None:
    """Assert that hops and bypasses of a run are those of its records.

    A call that waited for a person has one record for each part of its run; its last one counts.
    """
    its = [record for record in records if record.run_id == run.run_id]
    calls = {
        record.path: record.status
        for record in its
        if record.kind == "agent" and record.action != "skipped" and _is_worker(record)
    }
    assert {hop.path: hop.status for hop in run.hops} == calls
    assert len(run.hops) == len({hop.path for hop in run.hops})
    kept = {(entry.path, entry.action) for entry in run.bypassed}
    is_over = run.status == "failed"  # then nothing went on without what failed
    assert kept == {
        (record.path, "stopped" if is_over and record.action in GONE_ON else record.action)
        for record in its
        if record.action and record.action != "stopped"  # a visit that was over early
    }


def _is_worker(record: Record) -> bool:
    return not str(record.agent_name).endswith("_supervisor")
