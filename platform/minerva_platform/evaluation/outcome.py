"""What becomes of a request: foreseen by the plan that `minerva explain` shows, or run for real."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import aclosing
from typing import Any, Final, Self

from minerva_platform.config.limits import RunLimits
from minerva_platform.contract.askable import build_task
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.engine import engine
from minerva_platform.contract.run_object import RunStatus
from minerva_platform.contract.task import Task
from minerva_platform.contract.values import Frozen
from minerva_platform.conversation.preview import Plan, foresee_turn
from minerva_platform.evaluation.cases import Case

_VISIT: Final = re.compile(r"#\d+")
"""The number of a second visit in a path."""


class SupervisorDecision(Frozen):
    """One decision of a supervisor."""

    path: str
    """The supervisor: `platform`, `platform/data`."""
    goals: tuple[str, ...] = ()
    scores: dict[str, float] = {}
    margin: float | None = None

    @classmethod
    def of(cls, path: str, decision: Mapping[str, Any]) -> Self:
        """Return a decision from the row that records keep of it."""
        return cls(
            path=path,
            goals=tuple(decision.get("goals", ())),
            scores=decision.get("scores", {}),
            margin=decision.get("margin"),
        )


class Outcome(Frozen):
    """The teams and workers that a request asks for, and its answer if it was run."""

    teams: frozenset[str] = frozenset()
    workers: frozenset[str] = frozenset()
    """Paths below the platform: `data/retrieval_agent`."""
    decisions: tuple[SupervisorDecision, ...] = ()
    unserved: tuple[str, ...] = ()
    """Parts of the request that no member serves, in the person's words."""
    status: RunStatus | None = None
    """None if nothing was run."""
    answer: str | None = None


async def foreseen(team: AssembledTeam, case: Case) -> Outcome:
    """Return what `team` would do with the request. No member is called."""
    plan = await foresee_turn(team, _task(case))
    unserved = plan.decision.unserved if plan.decision else ()
    return _outcome(team, _decisions_in(plan)).model_copy(update={"unserved": unserved})


async def ran(team: AssembledTeam, case: Case, limits: RunLimits) -> Outcome:
    """Run the request by `team` and return what was done. The run is not recorded.

    A member's failure is in the outcome, not raised. What members do and make stays.
    """
    decisions: list[SupervisorDecision] = []
    update: dict[str, Any] = {}
    around = engine().team_options(limits=limits)
    async with aclosing(engine().stream_team(team, _task(case), around)) as events:
        async for event in events:
            if event.record is not None and event.record.kind == "route":
                decisions.append(SupervisorDecision.of(event.path, event.record.decision or {}))
            if event.run is not None:
                run = event.run
                update = {"status": run.status, "answer": run.answer, "unserved": run.unserved}
    return _outcome(team, decisions).model_copy(update=update)


def _task(case: Case) -> Task:
    return build_task(case.text, case.attachments)


def _decisions_in(plan: Plan) -> Iterator[SupervisorDecision]:
    """Yield each decision of a plan, outermost first."""
    if plan.decision is not None:
        kept = plan.decision.model_dump(include={"scores", "margin"})
        kept["goals"] = [goal.member for goal in plan.decision.goals]
        yield SupervisorDecision.of(plan.path, kept)
    for stage in plan.stages:
        for call in stage:
            if call.inner is not None:
                yield from _decisions_in(call.inner)


def _outcome(team: AssembledTeam, decisions: Iterable[SupervisorDecision]) -> Outcome:
    """Return the members that `decisions` ask for. A team that is asked alone is its own goal."""
    every = tuple(decisions)
    choosers = dict(_teams_by_path(team, team.name))
    teams: set[str] = set()
    workers: set[str] = set()
    for decision in every:
        path = _VISIT.sub("", decision.path)
        chooser = choosers.get(path)
        if chooser is None:  # a team that a worker calls by itself
            continue
        if chooser is team:
            teams.update(decision.goals if team.leads_teams else [team.name] * bool(decision.goals))
        below = path.partition("/")[2] if team.leads_teams else path
        workers.update(
            f"{below}/{goal}".removeprefix("/")
            for goal in decision.goals
            if not chooser.by_name[goal].is_team
        )
    return Outcome(teams=frozenset(teams), workers=frozenset(workers), decisions=every)


def _teams_by_path(team: AssembledTeam, path: str) -> Iterator[tuple[str, AssembledTeam]]:
    yield path, team
    for agent in team.agents:
        if isinstance(agent, AssembledTeam):
            yield from _teams_by_path(agent, f"{path}/{agent.name}")
