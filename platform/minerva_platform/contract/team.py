"""A team as its author declares it: members, a router, what may leave it.

A declaration says and does not run: `assembly.assemble` makes an `AssembledTeam` of it, with what
its configuration and its platform add. So two platforms may share one declaration. The team is the
unit of ownership: its own folder, distribution, tests and configuration.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, final

from minerva_platform.config.limits import RunLimits
from minerva_platform.config.settings import Finish, Rule, TeamSettings
from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.askable import Askable
from minerva_platform.contract.assembled_team import AssembledTeam, Declaration
from minerva_platform.contract.attachment import Attachment
from minerva_platform.contract.dataflow import Flow
from minerva_platform.contract.engine import Surroundings, engine
from minerva_platform.contract.handoff import Handoff
from minerva_platform.contract.result import Result, TeamOutput
from minerva_platform.contract.router import Evidence, MemberCard, RouterChoice
from minerva_platform.contract.task import Task
from minerva_platform.text.language import Language

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

Member = BaseAgent[Any, Any]


class Team(Declaration, Askable):
    """A supervisor over members, each a worker or another team.

    Subclasses set the class attributes. `Team(name=…, members=…)` makes a team without a subclass.
    A team that is asked without a `Platform` records nothing and keeps state only for a thread.
    """

    members: Sequence[Member | type[Member]] = ()
    """The members that the supervisor may choose, in the order of their usual work."""
    audits: Mapping[str, str] = {}
    """kind -> member that must have seen a hand-off of this kind before it leaves."""
    approvals: Mapping[str, str] = {}
    """kind -> member that asks a person about a hand-off of this kind, after all else in the run.

    So a question that needs no other answer keeps nobody waiting."""
    substitutes: Mapping[str, str] = {}
    """member -> member that is tried when the first fails."""
    headings: Mapping[Language, str] = {}
    """The heading of this team's part in an answer of several teams."""

    router: RouterChoice = None
    """What chooses members: a router, `Tools(…)`, `Workflow(…)`, `Network(…)`, or the name of a
    router. None means `cascade` with a model, `embedded` without, or what the configuration says.
    No configuration replaces a router, a workflow or a network."""
    rules: Sequence[Rule] = ()
    """The rules of the router `rules`."""
    finish_mode: Finish = "compose"
    """How several members' parts become the answer."""
    examples: Sequence[str] | None = None  # type: ignore[assignment]  # None: its members'
    """Requests that should reach the team. None means those of its members."""
    declines: Sequence[str] | None = None  # type: ignore[assignment]  # as `examples`
    """Requests that sound like its own and that no member serves. None means its members'."""
    aspects: Sequence[str] | None = None  # type: ignore[assignment]  # as `examples`
    """Words that ask for a property. None means its members', each once and in lower case."""

    Settings: type[TeamSettings] = TeamSettings
    """The model of its configuration file, `configs/teams/<name>.yaml`."""

    is_team = True
    changes = 0
    """How often an attribute was set, so that the team is assembled anew."""

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
        router: RouterChoice = None,
    ) -> None:
        attributes = {
            "name": name,
            "description": description,
            "members": members,
            "exports": exports,
            "audits": audits,
            "approvals": approvals,
            "substitutes": substitutes,
            "router": router,
        }
        for attribute, value in attributes.items():
            if value is not None:
                setattr(self, attribute, value)

    def __setattr__(self, name: str, value: Any) -> None:
        vars(self)["changes"] = self.changes + 1
        super().__setattr__(name, value)

    @property
    def assembled(self) -> AssembledTeam:
        """The team as it runs by itself, without a configuration."""
        alone: AssembledTeam = engine().assembled_team(self)
        return alone

    @property
    def graph(  # pyright: ignore[reportIncompatibleVariableOverride]  # that of a worker stays
        self,
    ) -> "CompiledStateGraph[Any, Any, Any, Any]":
        """The compiled graph of its supervisor, as it runs by itself."""
        return self.assembled.graph

    @property
    def flow(self) -> Flow:  # pyright: ignore[reportIncompatibleVariableOverride]  # as `graph`
        """The hand-offs that its members need, want and give beyond each other."""
        return self.assembled.flow

    @property
    def card(self) -> MemberCard:  # pyright: ignore[reportIncompatibleVariableOverride]  # as `graph`
        """The team as the router above it sees it."""
        return self.assembled.card

    @property
    def record_name(self) -> str:
        """Its supervisor's name in records."""
        return self.assembled.record_name

    def evidence(self, request: str, attachments: Sequence[Attachment]) -> Evidence:
        """Return the strongest of what speaks for its members."""
        return self.assembled.evidence(request, attachments)

    def build_members(self, settings: TeamSettings) -> Sequence[Member | type[Member]]:  # noqa: ARG002  # for those that override it
        """Return the members. A team with its own settings makes them from `settings` here.

        It is not asked for a team whose members are given in code.
        """
        return self.members

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

    def _heading(self, name: str, language: Language) -> str:
        titles: Any = (
            getattr(each, "headings", {}).get(language, name)
            for each in self.members
            if each.is_team and each.name == name
        )
        return next(titles, "")

    @property
    def _root(self) -> "Team":
        return self

    def _options(
        self, thread: str | None, limits: RunLimits | None, *, goes_on: bool = False
    ) -> Surroundings:
        return engine().team_options(thread, limits, keeps_state=goes_on)

    async def ainvoke(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a request (`{"request": …, "attachments": […]}`) and return the run object."""
        return (await engine().run_team(self, self.validate_input(payload))).to_json_dict()
