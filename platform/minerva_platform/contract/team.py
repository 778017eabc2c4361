"""A team: a supervisor and its members, itself a BaseAgent.

The platform is a team of teams, so one class carries every level of the tree. A team is the
unit of ownership: its own folder, distribution, tests and configuration.
"""

import copy
from collections.abc import AsyncGenerator, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from inspect import getattr_static
from typing import TYPE_CHECKING, Any, Final, final, get_args

from minerva_platform.config.limits import RunLimits
from minerva_platform.config.router_spec import TOOL_SPECS, Tools, ToolSpec
from minerva_platform.config.settings import (
    Finish,
    RouterName,
    Rule,
    TeamSettings,
    router_choice,
)
from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.askable import Askable
from minerva_platform.contract.dataflow import Flow, LostHandoff, Port, Ports, team_flow
from minerva_platform.contract.decision import DecisionBatch
from minerva_platform.contract.engine import LanguageModel, engine
from minerva_platform.contract.handoff import Handoff
from minerva_platform.contract.members import learn_also, make_members, sound_exports
from minerva_platform.contract.result import Result, TeamOutput
from minerva_platform.contract.router import (
    Evidence,
    Router,
    RouterTraits,
    TrainedRouter,
    evidence_by_member,
    prepare_router,
    strongest,
    traits_by,
    traits_of,
)
from minerva_platform.contract.run_object import LeftOut, Origin, Run, RunEvent
from minerva_platform.contract.task import Task
from minerva_platform.errors import SettingsError
from minerva_platform.routing.shapes.network import Network
from minerva_platform.routing.shapes.workflow import Workflow
from minerva_platform.source_location import package_of
from minerva_platform.text.language import Language

if TYPE_CHECKING:
    from langgraph.graph import StateGraph
    from langgraph.graph.state import CompiledStateGraph

    from minerva_platform.contract.attachment import Attachment

Member = BaseAgent[Any, Any]
SHAPES: Final = (Network, Workflow)
"""The shapes that a team may declare."""


def shape_problems(team: "Team") -> Iterator[str]:
    """Yield why the declared shape of `team` can never work, as sentences that begin with `its`."""
    if team.shape is None:
        return
    flows = [agent.flow for agent in team.agents]
    ports = [
        port for flow in flows for of in (flow.needs, flow.wants, flow.gives) for port in _all(of)
    ]
    given = {port.kind: port.model.version for port in ports}
    apart = {*team.substitutes.values(), *team.approvals.values()}  # who else calls them
    yield from team.shape.problems(list(team.by_name), given, apart)


def _all(ports: Ports) -> Iterator[Port]:
    return (port for group in ports.values() for port in group)


class Team(BaseAgent[Task, TeamOutput], Askable):
    """A supervisor over members, each a worker or another team.

    Subclasses set the class attributes. `Team(name=…, members=…)` makes a team without a subclass.
    A team that is asked without a `Platform` records nothing and keeps state only for a thread.
    """

    members: Sequence[Member | type[Member]] = ()
    """The members that the supervisor may choose, in the order of their usual work."""
    exports: Sequence[type[Handoff]] = ()
    """The hand-offs that may leave the team; all others stay inside."""
    audits: Mapping[str, str] = {}
    """kind -> member that must have seen a hand-off of this kind before it leaves."""
    approvals: Mapping[str, str] = {}
    """kind -> member that asks a person about a hand-off of this kind, after all else in the run.

    So a question that needs no other answer keeps nobody waiting."""
    substitutes: Mapping[str, str] = {}
    """member -> member that is tried when the first fails."""
    headings: Mapping[Language, str] = {}
    """The heading of this team's part in an answer of several teams."""

    router_name: RouterName | None = None
    """The router that chooses members. None means `cascade` with a model, `embedded` without."""
    router_options: ToolSpec | None = None
    """The options of the routers `tools` and `dispatch`. In a class, `router = Tools(…)` sets both.
    """
    rules: Sequence[Rule] = ()
    """The rules of the router `rules`."""
    shape: Network | Workflow | None = None
    """The declared order or network. In a class, `router = Workflow(…)` or `Network(…)` sets it. No
    configuration replaces it."""
    finish_mode: Finish = "compose"
    """How several members' parts become the answer."""

    Settings: type[TeamSettings] = TeamSettings
    """The model of its configuration file, `configs/teams/<name>.yaml`."""

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

    _router: Router | None = None
    """The router that was given as an object, in the class or to a team."""

    def __init__(  # noqa: PLR0913  # each overrides one class attribute
        self,
        *,
        name: str | None = None,
        description: str | None = None,
        members: Sequence[Member | type[Member]] | None = None,
        exports: Sequence[type[Handoff]] | None = None,
        audits: Mapping[str, str] | None = None,
        approvals: Mapping[str, str] | None = None,
        substitutes: Mapping[str, str] | None = None,
        router: Router | ToolSpec | Network | Workflow | None = None,
    ) -> None:
        given = {
            "name": name,
            "description": description,
            "members": members,
            "exports": exports,
            "audits": audits,
            "approvals": approvals,
            "substitutes": substitutes,
        }
        for attribute, value in given.items():
            if value is not None:
                setattr(self, attribute, value)
        self._built_router: Router | None = None
        if router is not None:
            self.router = router
        self._built_members: Sequence[Member | type[Member]] | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Read `router = …` of the class. The attribute stays the router that its teams have."""
        super().__init_subclass__(**kwargs)
        given = vars(cls).get("router")
        if given is None or isinstance(given, property):
            return
        delattr(cls, "router")
        if isinstance(given, Tools):
            cls.router_name, cls.router_options = router_choice(given)
        cls.shape = given if isinstance(given, SHAPES) else None
        cls._router = None if isinstance(given, (Tools, *SHAPES)) else given

    @cached_property
    def agents(self) -> tuple[Member, ...]:
        """The members as instances, in declared order.

        Raises:
            ContractError: a class cannot be made without arguments, is abstract, or is no agent.
        """
        return make_members(self.name, self.members, package=package_of(self))

    @cached_property
    def by_name(self) -> dict[str, Member]:
        """The members by name."""
        return {agent.name: agent for agent in self.agents}

    @property
    def export_kinds(self) -> tuple[str, ...]:
        """The kinds that may leave the team."""
        return tuple(handoff.kind for handoff in self.exported)

    @cached_property
    def exported(self) -> tuple[type[Handoff], ...]:
        """The exports that can be bound. `minerva check` reports the others."""
        return sound_exports(self.exports)

    def evidence(self, request: str, attachments: "Sequence[Attachment]") -> Evidence:
        """Return the strongest of what speaks for its members."""
        return strongest(evidence_by_member(self.agents, request, attachments).values())

    @property
    def record_name(self) -> str:
        """Its supervisor's name: `data_team_supervisor`, `platform_supervisor`."""
        return f"{self.name}_supervisor" if self.leads_teams else f"{self.name}_team_supervisor"

    @cached_property
    def leads_teams(self) -> bool:
        """True if any member is a team."""
        return any(agent.is_team for agent in self.agents)

    @cached_property
    def examples(self) -> Sequence[str]:  # type: ignore[override]  # derived, unless a subclass sets it
        """Its members' examples, unless the team gives its own."""
        return tuple(text for agent in self.agents for text in agent.examples)

    @cached_property
    def declines(self) -> Sequence[str]:  # type: ignore[override]  # derived, as `examples` is
        """Its members' declined requests, unless the team gives its own."""
        return tuple(text for agent in self.agents for text in agent.declines)

    @cached_property
    def aspects(self) -> Sequence[str]:  # type: ignore[override]  # derived, as `examples` is
        """Its members' aspects, each once and in lower case, unless the team gives its own."""
        every = (word.casefold() for agent in self.agents for word in agent.aspects)
        return tuple(dict.fromkeys(every))

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

    if TYPE_CHECKING:
        router: Any
        """The router that chooses members. A class or a team may set a router, or what one is made
        of (`Tools`, `Workflow`, `Network`); a type checker takes either."""
    else:
        router = property(
            lambda self: self._chosen_router(), lambda self, given: self._set_router(given)
        )

    def _chosen_router(self) -> Router:
        """Return the router that was set, else the one of `router_name`.

        Raises:
            SettingsError: the router needs a model or rules, and there are none.
        """
        if self._router is not None:
            return self._router
        if self._built_router is None:
            from minerva_platform.routing import factory  # noqa: PLC0415  # models and rules load with it

            cards = [agent.card for agent in self.agents]
            subjects = any(agent.is_team for agent in self.agents)
            if self.shape is not None:
                self._built_router = factory.shape_router(
                    self.shape, owner=self.name, cards=cards, subjects=subjects, model=self.model
                )
            else:
                self._built_router = factory.build_router(
                    self.router_name,
                    owner=self.name,
                    cards=cards,
                    subjects=subjects,
                    model=self.model,
                    rules=self.rules,
                    options=self.router_options,
                )
        return self._built_router

    def _set_router(self, router: Router | ToolSpec | Network | Workflow | None) -> None:
        self._built_router = None
        if isinstance(router, SHAPES):
            self.shape, router = router, None
        if isinstance(router, Tools):
            self.router_name, self.router_options = router_choice(router)
            router = None
        self._router = router

    @property
    def given_router(self) -> object:
        """What was given as the router, be it one or not. None if its name says which."""
        return self._router

    @property
    def router_problem(self) -> str | None:
        """Why what was given as its router cannot choose, and what to write. None if it can."""
        if self.shape is not None:
            return next(shape_problems(self), None)
        given, file = self.given_router, f"configs/teams/{self.name}.yaml"
        if given is not None:
            if not isinstance(given, type) and callable(getattr(given, "decide", None)):
                return None
            return (
                f"its router is {given!r:.200}, which cannot decide; write `router = Tools()`, "
                "`Workflow({…})` or `Network(…)` (minerva_platform.routing) or any other router, "
                f"or name one in {file}."
            )
        named: object = self.router_name
        if named is not None and named not in get_args(RouterName):
            return f"its router_name is {named!r}; write one of {', '.join(get_args(RouterName))}."
        if named in TOOL_SPECS and self.router_options is None:
            return f"its router_name is {named!r}; write `router = {str(named).title()}()` instead."
        return None

    @property
    def router_traits(self) -> RouterTraits:
        """What the supervisor grants the router, known before it is made."""
        if self.shape is not None:
            return self.shape.traits
        if self._router is None and self.router_options is not None and self.model is not None:
            return traits_by(self.router_options)
        return traits_of(self._router)

    def prepare(self) -> None:
        """Train the routers and compile the graphs of the whole tree, before any clock runs."""
        for agent in self.agents:
            if isinstance(agent, Team):
                agent.prepare()
        _ = self.graph
        prepare_router(self.router)

    @property
    def learns_from_examples(self) -> bool:
        """True if its router is trained on the members' examples.

        A declared shape looks after the few that it may need itself.
        """
        if self.shape is not None:
            return False
        router = self._router or self._built_router
        if router is None:
            return self.router_name not in {"plan", "step"} and not (
                self.router_options is not None and self.model is not None
            )
        return isinstance(router, TrainedRouter) and router.learns_from_examples

    @cached_property
    def size(self) -> int:
        """Number of agents below the team, at any depth."""
        return sum(1 + (agent.size if isinstance(agent, Team) else 0) for agent in self.agents)

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
        return engine().supervisor_graph(self)

    def build_members(self, settings: TeamSettings) -> Sequence[Member | type[Member]]:  # noqa: ARG002  # for those that override it
        """Return the members. A team with its own settings makes them from `settings` here.

        It is not asked for a team whose members are given in code.
        """
        return self.members

    def configure(self, settings: TeamSettings) -> None:
        """Apply the settings of `configs/teams/<name>.yaml`."""
        if vars(self).get("members") is self._built_members:  # given in code, they stay
            members = self.build_members(settings)
            if members is not self.members:
                self.members = self._built_members = members
                self._forget_derived()
        for member, seconds in settings.timeouts.items():
            self._member(member, "timeouts").timeout = seconds
        self._learn(settings)
        for member, other in settings.substitutes.items():
            self._member(member, "substitutes")
            self._member(other, "substitutes")
        self.substitutes = {**self.substitutes, **settings.substitutes}
        if settings.router is not None and self.shape is not None:
            message = (
                f"configs/teams/{self.name}.yaml: `router:` cannot replace the declared "
                f"{self.shape.name} of `{self.name}`; take the line out."
            )
            raise SettingsError(message)
        if settings.router is not None:
            self.router_name, self.router_options = router_choice(settings.router)
        self.rules = settings.rules or self.rules
        self.finish_mode = settings.finish or self.finish_mode
        if settings.model:
            self.model = engine().model_of(settings.model)
        for member, spec in settings.models.items():
            self._member(member, "models").model = engine().model_of(spec)
        for agent in self.agents:
            agent.take_settings(settings, team=self.name, members=tuple(self.by_name))

    def _learn(self, settings: TeamSettings) -> None:
        """Add the configured examples and declines to the members' and to its own."""
        for member, texts in settings.examples.items():
            learn_also(self._member(member, "examples"), "examples", texts)
        for agent in self.agents:
            learn_also(agent, "declines", settings.declines)
        every = tuple(text for texts in settings.examples.values() for text in texts)
        learn_also(self, "examples", every)
        learn_also(self, "declines", settings.declines)
        if every or settings.declines:
            self._built_router = None

    @property
    def models(self) -> tuple[LanguageModel, ...]:
        """Every model that the tree may ask, without repeats."""
        every = [agent.model for team in self.teams for agent in (team, *team.agents)]
        return tuple(dict.fromkeys(model for model in every if model is not None))

    @property
    def teams(self) -> tuple["Team", ...]:
        """This team and every team below it."""
        below = [agent.teams for agent in self.agents if isinstance(agent, Team)]
        return (self, *(team for teams in below for team in teams))

    def narrowed(
        self,
        *,
        members: Sequence[Member] | None = None,
        exports: Sequence[type[Handoff]] | None = None,
        refuses: Collection[str] = (),
    ) -> "Team":
        """Return a copy with only these members or exports; it takes no kind in `refuses`.

        The team itself does not change, because another platform may use it. Both share the
        members.
        """
        team = copy.copy(self)
        team._forget_derived()  # noqa: SLF001  # of our own class
        team.members = tuple(self.agents if members is None else members)
        team.exports = tuple(self.exported if exports is None else exports)
        team.refuses = self.refuses | frozenset(refuses)
        return team

    def _forget_derived(self) -> None:
        """Drop all cached values that were derived from the former members."""
        for name in list(vars(self)):
            if isinstance(getattr_static(type(self), name, None), cached_property):
                delattr(self, name)
        self._built_router = None

    def route_by(self, router: RouterName) -> None:
        """Make `router` choose at every level, against any configuration."""
        name, options = router_choice(router)
        for team in self.teams:
            kept = team.router_options if team.router_name == name else options
            team.router_name, team.router_options, team.router = name, kept, None

    def inherit(self, *, model: LanguageModel | None, router: RouterName | ToolSpec | None) -> None:
        """Apply the platform's model and router where the team or a worker has none of its own."""
        self.model = self.model or model
        if self.router_name is None:
            self.router_name, self.router_options = router_choice(router)
        for agent in self.agents:
            if isinstance(agent, Team):
                agent.inherit(model=self.model, router=router)
            elif agent.isolation == "none":  # an isolated worker asks no model
                agent.model = agent.model or self.model

    def _member(self, name: str, key: str) -> Member:
        if name not in self.by_name:
            message = (
                f"configs/teams/{self.name}.yaml: `{key}` names `{name}`; "
                f"the members are {', '.join(self.by_name)}."
            )
            raise SettingsError(message)
        return self.by_name[name]

    def input_to_state(self, payload: Task) -> dict[str, Any]:
        """Return the supervisor's first state."""
        return engine().first_state(payload)

    def state_to_output(self, state: Mapping[str, Any]) -> TeamOutput:
        """Return the team's output, read from the supervisor's last state."""
        return TeamOutput.model_validate(state["outcome"])

    def finish(self, task: Task, shown: Sequence[Result]) -> str:
        """Return the answer: one part is forwarded word for word, several get headings."""
        return self.plain_finish(task, shown)

    @final
    def plain_finish(self, task: Task, shown: Sequence[Result]) -> str:
        """Return the platform's own answer, the default of `finish` and its fallback."""
        if len(shown) == 1:
            return shown[0].summary
        parts = [(self._heading(result.agent, task.language), result.summary) for result in shown]
        return "\n\n".join(f"## {title}\n\n{text}" if title else text for title, text in parts)

    def _heading(self, member: str, language: Language) -> str:
        agent = self.by_name[member]
        return agent.headings.get(language, agent.name) if isinstance(agent, Team) else ""

    @property
    def _asked_name(self) -> str:
        return self.name

    async def _answer(self, task: Task, thread: str | None, limits: RunLimits | None) -> Run:
        return await engine().run_team(self, task, thread=thread, limits=limits)

    def _events(
        self, task: Task, thread: str | None, limits: RunLimits | None
    ) -> AsyncGenerator[RunEvent]:
        return engine().stream_team(self, task, thread=thread, limits=limits)

    async def _resumed(self, run_id: str, batch: DecisionBatch) -> Run:
        return await engine().resume_team(self, run_id, batch)

    def _resumed_events(self, run_id: str, batch: DecisionBatch) -> AsyncGenerator[RunEvent]:
        return engine().stream_resumed_team(self, run_id, batch)

    async def ainvoke(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a request (`{"request": …, "attachments": […]}`) and return the run object."""
        return (await engine().run_team(self, self.validate_input(payload))).to_json_dict()
