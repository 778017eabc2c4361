"""The router of a team: what its declaration and its files choose, and what is made of that."""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Final, cast, get_args

from minerva_platform.config.router_spec import TOOL_SPECS, RouterName, Tools, ToolSpec
from minerva_platform.config.settings import TeamSettings, cache_directory
from minerva_platform.contract.engine import LanguageModel
from minerva_platform.contract.router import (
    MemberCard,
    Router,
    RouterChoice,
    RouterTraits,
    Shape,
    TrainedRouter,
    traits_of,
)
from minerva_platform.errors import SettingsError
from minerva_platform.routing.cascade import CascadeRouter
from minerva_platform.routing.examples_router import EmbeddedRouter
from minerva_platform.routing.model_router import ModelRouter, PlanDirection, StepDirection
from minerva_platform.routing.rules import RulesRouter
from minerva_platform.routing.shapes.network import Network, NetworkRouter
from minerva_platform.routing.shapes.workflow import Choose, Workflow
from minerva_platform.routing.shapes.workflow_router import Chooser, WorkflowRouter
from minerva_platform.routing.tool_router import ToolRouter, tool_names, traits_by_tools
from minerva_platform.routing.training.model_cache import RouterStore

if TYPE_CHECKING:
    from minerva_platform.contract.assembled_team import AssembledTeam
    from minerva_platform.contract.team import Team

_SHAPES: Final = (Network, Workflow)


def choose(
    team: "Team",
    settings: TeamSettings | None,
    platform_choice: RouterChoice,
    forced_router: RouterName | None,
) -> RouterChoice:
    """Return what chooses the members of `team`.

    A declared router, workflow or network goes before the team's file, that before the rest of the
    declaration, that before the platform's choice. `forced_router` goes before all but a shape.

    Raises:
        SettingsError: the file would replace a declared shape.
    """
    declared, written = team.router, settings.router if settings else None
    if shape := shape_of(declared):
        if written is not None:
            message = (
                f"configs/teams/{team.name}.yaml: `router:` cannot replace the declared "
                f"{shape.name} of `{team.name}`; take the line out."
            )
            raise SettingsError(message)
        return declared
    is_named = declared is None or isinstance(declared, str | Tools)
    if not is_named and forced_router is None:
        return declared
    choice = written or (declared if is_named else None) or platform_choice
    return choice if forced_router in {None, _name_of(choice)} else forced_router


def shape_of(choice: RouterChoice) -> Shape | None:
    """Return the order or the network that was chosen, if one was."""
    return choice if isinstance(choice, _SHAPES) else None


def options_of(choice: RouterChoice) -> ToolSpec | None:
    """Return the options of a router by tools, if one was chosen, by its name too."""
    if isinstance(choice, Tools):
        return choice
    return TOOL_SPECS[choice]() if isinstance(choice, str) and choice in TOOL_SPECS else None


def _name_of(choice: RouterChoice) -> str | None:
    options = options_of(choice)
    return options.name if options else cast("str | None", choice)


def _object_of(choice: RouterChoice) -> object:
    """Return what was given as a router, be it one or not. None if a name or a shape was."""
    return None if isinstance(choice, str | Tools | Network | Workflow) else choice


def traits_by(choice: RouterChoice, model: LanguageModel | None) -> RouterTraits:
    """Return what the supervisor grants the router that `choice` becomes."""
    if shape := shape_of(choice):
        return shape.traits
    options = options_of(choice)
    if options is None or model is None:
        return traits_of(cast("Router | None", _object_of(choice)))
    return traits_by_tools(options)


def learns_from_examples(team: "AssembledTeam") -> bool:
    """Return True if the team's router is trained on the members' examples.

    A declared shape looks after the few that it may need itself.
    """
    choice = team.router_choice
    if shape_of(choice):
        return False
    router = _object_of(choice)
    if router is not None:
        return isinstance(router, TrainedRouter) and router.learns_from_examples
    by_tools = options_of(choice) is not None and team.model is not None
    return choice not in {"plan", "step"} and not by_tools


def problem_of(team: "AssembledTeam") -> str | None:
    """Return why what was chosen cannot choose, and what to write. None if it can."""
    if team.shape is not None:
        return next(shape_problems(team), None)
    choice, file = team.router_choice, f"configs/teams/{team.name}.yaml"
    if isinstance(choice, str) and choice not in get_args(RouterName):
        return f"its router is {choice!r}; write one of {', '.join(get_args(RouterName))}."
    router = _object_of(choice)
    is_router = not isinstance(router, type) and callable(getattr(router, "decide", None))
    if router is None or is_router:
        return None
    return (
        f"its router is {router!r:.200}, which cannot decide; write `router = Tools()`, "
        "`Workflow({…})` or `Network(…)` (minerva_platform.routing) or any other router, "
        f"or name one in {file}."
    )


def shape_problems(team: "AssembledTeam") -> Iterator[str]:
    """Yield why the declared shape of `team` can never work, as sentences that begin with `its`."""
    if team.shape is None:
        return
    flows = [agent.flow for agent in team.agents]
    groups = [of for flow in flows for of in (flow.needs, flow.wants, flow.gives)]
    ports = (port for of in groups for several in of.values() for port in several)
    versions = {port.kind: port.model.version for port in ports}
    apart: Collection[str] = {*team.substitutes.values(), *team.approvals.values()}
    yield from team.shape.problems(list(team.by_name), versions, apart)


def build(team: "AssembledTeam") -> Router:
    """Return the router of a team.

    A name of None means `cascade` with a model and `embedded` without. With `plan`, `step`, `tools`
    and `dispatch`, the embedded router is the fallback if all members have examples. Without a
    model it leads instead of `tools` and `dispatch`.

    Raises:
        SettingsError: the choice needs a model or rules, and there are none.
        MissingExamplesError: it needs examples that a member does not have.
    """
    choice = team.router_choice
    router = _object_of(choice)
    if router is not None:
        return cast("Router", router)
    if isinstance(choice, Network):
        return NetworkRouter(choice, team.name)
    builder = _RouterBuilder(team)
    if isinstance(choice, Workflow):
        choosers = {each.members: builder.chooser(each) for each in choice.choices}
        return WorkflowRouter(choice, owner=team.name, cards=builder.cards, choosers=choosers)
    if (options := options_of(choice)) is not None:
        return builder.by_tools(options)
    name = cast("RouterName | None", choice)
    if name == "rules":
        members = [card.name for card in builder.cards]
        otherwise = builder.by_name(None)
        return RulesRouter(team.rules, owner=team.name, members=members, otherwise=otherwise)
    return builder.by_name(name)


class _RouterBuilder:
    """Makes routers of the cards and the model of a team."""

    def __init__(self, team: "AssembledTeam") -> None:
        self.owner, self.model = team.name, team.model
        self.cards = [agent.card for agent in team.agents]
        own = {text for card in self.cards for text in card.examples}
        self._absent = [
            MemberCard(name=name, description=entry.cause, examples=others)
            for name, entry in team.absent.items()
            if (others := tuple(text for text in entry.examples if text not in own))
        ]
        self._subjects = team.leads_teams

    def by_name(self, name: RouterName | None) -> Router:
        """Return the router of this name."""
        name = name or ("cascade" if self.model else "embedded")
        if name == "embedded":
            return self._by_examples(self.cards)
        if self.model is None:
            message = (
                f"`{self.owner}` routes by `{name}`, which needs a model: set MINERVA_MODEL, or "
                "`model:` in platform.yaml."
            )
            raise SettingsError(message)
        if name in {"step", "plan"}:
            direction = StepDirection() if name == "step" else PlanDirection()
            stand_by = self._stand_by(self.cards)
            return ModelRouter(self.model, direction, owner=self.owner, otherwise=stand_by)
        embedded = self._by_examples(self.cards)
        plan = ModelRouter(self.model, PlanDirection(), owner=self.owner, otherwise=embedded)
        return CascadeRouter(embedded, plan)

    def chooser(self, choose: Choose) -> Chooser:
        """Return what makes a choice in a workflow: examples and a model, or one of the two."""
        among = [card for card in self.cards if card.name in choose.members]
        examples = self._stand_by(among)
        if examples is None and self.model is None:
            bare = ", ".join(card.name for card in among if not card.examples)
            message = (
                f"`{self.owner}` chooses among {', '.join(choose.members)}. That takes a model "
                f"(MINERVA_MODEL), or 10 examples or more of each; {bare} gives none."
            )
            raise SettingsError(message)
        if self.model is None:
            assert examples is not None  # noqa: S101  # see above
            return Chooser(examples, examples)
        plan = ModelRouter(self.model, PlanDirection(), owner=self.owner, otherwise=examples)
        return Chooser(CascadeRouter(examples, plan) if examples else plan, examples)

    def by_tools(self, options: ToolSpec) -> Router:
        """Return a router whose model calls members as tools."""
        if not self.cards:
            message = f"`{self.owner}` routes by `{options.name}` and has no member to call."
            raise SettingsError(message)
        if self.model is None:
            return self._by_examples(self.cards)
        names = [card.name for card in self.cards]
        doubled = sorted({name for name in names if names.count(name) > 1})
        if doubled:
            message = (
                f"`{self.owner}` routes by `{options.name}`, and several of its members are called "
                f"{', '.join(doubled)}, which makes one tool; rename one."
            )
            raise SettingsError(message)
        starts_runs = any(card.starts_runs for card in self.cards)
        taken = tool_names(options, len(self.cards), starts_runs=starts_runs) & set(names)
        if taken:
            message = (
                f"`{self.owner}` routes by `{options.name}`, whose own tools are called "
                f"{', '.join(sorted(taken))}; rename the member of that name."
            )
            raise SettingsError(message)
        stand_by = self._stand_by(self.cards)
        return ToolRouter(self.model, options, cards=self.cards, otherwise=stand_by)

    def _stand_by(self, cards: Sequence[MemberCard]) -> EmbeddedRouter | None:
        """Return the fallback router for a failing model, if there are examples to learn from."""
        return self._by_examples(cards) if all(card.examples for card in cards) else None

    def _by_examples(self, cards: Sequence[MemberCard]) -> EmbeddedRouter:
        store = RouterStore(cache_directory() / "routers")
        return EmbeddedRouter(cards, absent=self._absent, subjects=self._subjects, store=store)
