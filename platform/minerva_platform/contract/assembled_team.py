"""A team as it runs: what its author declared, with what its configuration and platform add."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final

from minerva_platform.config.settings import Finish, Rule
from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.attachment import Attachment
from minerva_platform.contract.dataflow import Flow, LostHandoff, team_flow
from minerva_platform.contract.engine import LanguageModel, engine
from minerva_platform.contract.handoff import Handoff
from minerva_platform.contract.result import Result, TeamOutput
from minerva_platform.contract.router import (
    Evidence,
    Router,
    RouterChoice,
    RouterTraits,
    Shape,
    evidence_by_member,
    prepare_router,
)
from minerva_platform.contract.run_object import LeftOut, Origin, Run
from minerva_platform.contract.task import Task
from minerva_platform.contract.values import Artifact
from minerva_platform.errors import ContractError
from minerva_platform.text.language import Language

if TYPE_CHECKING:
    from langgraph.graph import StateGraph
    from langgraph.graph.state import CompiledStateGraph

Member = BaseAgent[Any, Any]
"""A worker, or a team that is assembled."""

_DECLARED: Final = (
    *("name", "description", "headings", "audits", "approvals", "background", "isolation"),
    *("input_mode", "output_mode", "max_steps", "presents", "sensitive"),
)
"""The attributes that hold as they are declared."""


class Declaration(BaseAgent[Task, TeamOutput]):
    """What an author says of a team (`contract.team.Team`)."""

    exports: Sequence[type[Handoff]] = ()
    """The hand-offs that may leave the team; all others stay inside."""

    def files_at_end(
        self, run: Run, decisions: Sequence[Mapping[str, Any]], files: Mapping[str, str]
    ) -> Sequence[Artifact]:
        """Return files of `run` told anew at its end, each in place of that of its name.

        `files` are the texts of the run's files by name. Of `decisions`, in their order, each has
        the `tool` that was asked about, `type` and what else the person gave, `by`, and `at` (UTC).
        What is returned depends on nothing else, because a run that is gone on with ends again.
        """
        del run, decisions, files
        return ()

    def finish(self, task: Task, shown: Sequence[Result]) -> str:
        """Return the answer made of several members' parts."""
        raise NotImplementedError

    def plain_finish(self, task: Task, shown: Sequence[Result]) -> str:
        """Return the platform's own answer, the fallback of `finish`."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False, kw_only=True)
class AssembledTeam(BaseAgent[Task, TeamOutput]):
    """A team that can run. Nothing of it changes: one that works with less is a copy.

    `assembly.assemble` makes it, and `dataclasses.replace` a copy, which derives all anew.
    """

    declaration: Declaration
    """The author's object: for `finish`, and for the place and the package of its class."""
    members: tuple[Member, ...]
    """Workers, and teams that are assembled, in declared order."""
    fault: ContractError | None = None
    """Why the members cannot be made; then there are none."""
    router_choice: RouterChoice = None
    """What its router is made of, or one."""
    shape: Shape | None = None
    """The declared order or network, if that is the choice."""
    router_traits: RouterTraits
    """What the supervisor grants the router, known before it is made."""
    make_router: Callable[["AssembledTeam"], Router]
    rules: Sequence[Rule] = ()
    model: LanguageModel | None = None
    exports: tuple[type[Handoff], ...] = ()
    """The exports that can be bound. `minerva check` reports the others."""
    substitutes: Mapping[str, str]
    finish_mode: Finish = "compose"
    timeout: float | None = None
    own_examples: Sequence[str] | None = None
    """None: its members'. So for the next two."""
    own_declines: Sequence[str] | None = None
    own_aspects: Sequence[str] | None = None
    origin: Origin | None = None
    """The distribution that the team was installed from, or its file beside platform.yaml. None if
    it was given in code."""
    left_out: tuple[LeftOut, ...] = ()
    """Teams and members that were left out below it, because they could never run right."""
    lost: tuple[LostHandoff, ...] = ()
    """Hand-offs that do not pass between its members, although both sides declare them."""
    refuses: frozenset[str] = frozenset()
    """Kinds that its members want but do not get from outside, because the given model does not
    fit."""

    is_team = True
    audits: ClassVar[Mapping[str, str]]
    approvals: ClassVar[Mapping[str, str]]
    headings: ClassVar[Mapping[Language, str]]

    def __post_init__(self) -> None:
        vars(self)["__module__"] = self.declaration.__module__  # faults are sought in its package
        for name in _DECLARED:
            if hasattr(self.declaration, name):
                vars(self)[name] = getattr(self.declaration, name)

    @property
    def agents(self) -> tuple[Member, ...]:
        """The members.

        Raises:
            ContractError: a class cannot be made without arguments, is abstract, or is no agent.
        """
        if self.fault is not None:
            raise self.fault
        return self.members

    @cached_property
    def by_name(self) -> dict[str, Member]:
        """The members by name."""
        return {agent.name: agent for agent in self.agents}

    @cached_property
    def absent(self) -> dict[str, LeftOut]:
        """The teams that are left out as a whole, by name."""
        return {entry.team: entry for entry in self.left_out if entry.team not in self.by_name}

    @property
    def export_kinds(self) -> tuple[str, ...]:
        """The kinds that may leave the team."""
        return tuple(handoff.kind for handoff in self.exports)

    @property
    def record_name(self) -> str:
        """Its supervisor's name: `data_team_supervisor`, `platform_supervisor`."""
        return f"{self.name}_supervisor" if self.leads_teams else f"{self.name}_team_supervisor"

    @cached_property
    def leads_teams(self) -> bool:
        """True if any member is a team."""
        return any(agent.is_team for agent in self.members)

    @cached_property
    def examples(self) -> Sequence[str]:  # type: ignore[override]  # derived
        """Requests that should reach the team."""
        derived = tuple(text for agent in self.agents for text in agent.examples)
        return derived if self.own_examples is None else self.own_examples

    @cached_property
    def declines(self) -> Sequence[str]:  # type: ignore[override]  # derived
        """Requests that sound like its own and that no member serves."""
        derived = tuple(text for agent in self.agents for text in agent.declines)
        return derived if self.own_declines is None else self.own_declines

    @cached_property
    def aspects(self) -> Sequence[str]:  # type: ignore[override]  # derived
        """Words that ask for a property and name no thing."""
        every = (word.casefold() for agent in self.agents for word in agent.aspects)
        return tuple(dict.fromkeys(every)) if self.own_aspects is None else self.own_aspects

    @cached_property
    def flow(self) -> Flow:
        """The hand-offs that its members need, want and give beyond each other."""
        members = (agent.planned_flow for agent in self.agents)
        flow = team_flow(members, self.export_kinds, self.approvals)
        if self.shape is not None and self.shape.traits.names_every_call:
            flow = flow.made_whole()
        return flow.without(self.refuses)

    @property
    def starts_runs(self) -> bool:
        """True if it, or a member below it, works in the background."""
        return self.background or any(agent.starts_runs for agent in self.agents)

    @cached_property
    def size(self) -> int:
        """Number of agents below the team, at any depth."""
        return len(self.members) + sum(team.size for team in self.inner_teams)

    @property
    def inner_teams(self) -> tuple["AssembledTeam", ...]:
        """The members that are teams."""
        return tuple(agent for agent in self.members if isinstance(agent, AssembledTeam))

    @property
    def teams(self) -> tuple["AssembledTeam", ...]:
        """This team and every team below it."""
        return (self, *(team for inner in self.inner_teams for team in inner.teams))

    @cached_property
    def versions(self) -> dict[str, str]:
        """What the platform and each installed team in the tree come from, by the teams' names."""
        from importlib.metadata import version  # noqa: PLC0415  # 15 ms

        own = Origin(distribution="minerva-platform", version=version("minerva-platform"))
        teams = {team.name: str(team.origin) for team in self.teams if team.origin}
        return {"platform": str(own), **teams}

    @property
    def models(self) -> tuple[LanguageModel, ...]:
        """Every model that the tree may ask, without repeats."""
        every = [agent.model for team in self.teams for agent in (team, *team.members)]
        return tuple(dict.fromkeys(model for model in every if model is not None))

    @cached_property
    def router(self) -> Router:
        """The router that chooses members.

        Raises:
            SettingsError: it needs a model or rules, and there are none.
        """
        return self.make_router(self)

    @cached_property
    def graph(self) -> "CompiledStateGraph[Any, Any, Any, Any]":
        """The compiled supervisor graph. Its closures hold the members' graphs."""
        rounds = self.router_traits.max_rounds or 0
        steps = 4 * (len(self.agents) + 2) * (1 + rounds)
        return (
            self.build_graph()
            .compile(name=self.name)
            .with_config(recursion_limit=steps, metadata={"lc_agent_name": self.record_name})
        )

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return the supervisor's graph."""
        return engine().build_supervisor(self)

    def prepare(self) -> None:
        """Train the routers and compile the graphs of the whole tree, before any clock runs."""
        for team in self.inner_teams:
            team.prepare()
        _ = self.graph
        prepare_router(self.router)

    def evidence(self, request: str, attachments: Sequence[Attachment]) -> Evidence:
        """Return the strongest of what speaks for its members."""
        evidence = evidence_by_member(self.agents, request, attachments).values()
        return max(evidence, key=lambda one: one.score, default=Evidence())

    def input_to_state(self, payload: Task) -> dict[str, Any]:
        """Return the supervisor's first state."""
        return self.declaration.input_to_state(payload)

    def state_to_output(self, state: Mapping[str, Any]) -> TeamOutput:
        """Return the team's output, read from the supervisor's last state."""
        return self.declaration.state_to_output(state)

    def finish(self, task: Task, shown: Sequence[Result]) -> str:
        """Return the answer in the words of the declared team."""
        return self.declaration.finish(task, shown)
