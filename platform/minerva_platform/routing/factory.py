"""Make the configured router for one supervisor."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minerva_platform.config.router_spec import ToolSpec
from minerva_platform.config.settings import RouterName, Rule, cache_directory
from minerva_platform.contract.router import MemberCard, Router
from minerva_platform.errors import SettingsError
from minerva_platform.routing.cascade import CascadeRouter
from minerva_platform.routing.examples_router import EmbeddedRouter
from minerva_platform.routing.llm_router import ModelRouter, PlanDirection, StepDirection
from minerva_platform.routing.rules import RulesRouter
from minerva_platform.routing.shapes.network import Network, NetworkRouter
from minerva_platform.routing.shapes.workflow import Choose, Workflow
from minerva_platform.routing.shapes.workflow_router import Chooser, WorkflowRouter
from minerva_platform.routing.tool_router import ToolRouter, tool_names
from minerva_platform.routing.training.model_cache import RouterStore

if TYPE_CHECKING:
    from minerva_platform.contract.engine import LanguageModel


def build_router(
    name: RouterName | None,
    *,
    owner: str,
    cards: Sequence[MemberCard],
    subjects: bool,
    model: "LanguageModel | None" = None,
    rules: Sequence[Rule] = (),
    options: ToolSpec | None = None,
) -> Router:
    """Return the router `name` for the members behind `cards`.

    None means `cascade` with a model and `embedded` without. `subjects` is true if the members are
    teams. With `plan`, `step`, `tools` and `dispatch`, the embedded router is the fallback if all
    members have examples. `options` are those of `tools` and `dispatch`; without a model the
    embedded router leads instead.

    Raises:
        SettingsError: `name` needs a model or rules, and there are none.
        MissingExamplesError: `name` needs examples that a member does not have.
    """
    chosen = name or ("cascade" if model else "embedded")
    if chosen == "embedded":
        return _embedded(cards, subjects=subjects)
    if chosen == "rules":
        otherwise = build_router(None, owner=owner, cards=cards, subjects=subjects, model=model)
        members = [card.name for card in cards]
        return RulesRouter(rules, owner=owner, members=members, otherwise=otherwise)
    if options is not None:
        return _by_tools(options, owner=owner, cards=cards, subjects=subjects, model=model)
    if model is None:
        message = (
            f"`{owner}` routes by `{chosen}`, which needs a model: set MINERVA_MODEL, or `model:` "
            "in platform.yaml."
        )
        raise SettingsError(message)
    if chosen == "step":
        return ModelRouter(
            model, StepDirection(), owner=owner, otherwise=_stand_by(cards, subjects=subjects)
        )
    if chosen == "plan":
        return ModelRouter(
            model, PlanDirection(), owner=owner, otherwise=_stand_by(cards, subjects=subjects)
        )
    embedded = _embedded(cards, subjects=subjects)
    plan = ModelRouter(model, PlanDirection(), owner=owner, otherwise=embedded)
    return CascadeRouter(embedded, plan)


def shape_router(
    shape: Network | Workflow,
    *,
    owner: str,
    cards: Sequence[MemberCard],
    subjects: bool,
    model: "LanguageModel | None" = None,
) -> Router:
    """Return the router that follows a declared shape.

    Raises:
        SettingsError: a choice of a workflow can be made neither by a model nor by examples.
    """
    if isinstance(shape, Network):
        return NetworkRouter(shape, owner)
    choosers = {
        each.members: _chooser(each, owner=owner, cards=cards, subjects=subjects, model=model)
        for each in shape.choices
    }
    return WorkflowRouter(shape, owner=owner, cards=cards, choosers=choosers)


def _chooser(
    choose: Choose,
    *,
    owner: str,
    cards: Sequence[MemberCard],
    subjects: bool,
    model: "LanguageModel | None",
) -> Chooser:
    """Return what makes a choice in a workflow: examples and a model, or one of the two."""
    among = [card for card in cards if card.name in choose.members]
    examples = _stand_by(among, subjects=subjects)
    if examples is None and model is None:
        bare = ", ".join(card.name for card in among if not card.examples)
        message = (
            f"`{owner}` chooses among {', '.join(choose.members)}. That takes a model "
            f"(MINERVA_MODEL), or 10 examples or more of each; {bare} gives none."
        )
        raise SettingsError(message)
    if model is None:
        assert examples is not None  # noqa: S101  # see above
        return Chooser(examples, examples)
    plan = ModelRouter(model, PlanDirection(), owner=owner, otherwise=examples)
    return Chooser(CascadeRouter(examples, plan) if examples else plan, examples)


def _by_tools(
    options: ToolSpec,
    *,
    owner: str,
    cards: Sequence[MemberCard],
    subjects: bool,
    model: "LanguageModel | None",
) -> Router:
    if not cards:
        message = f"`{owner}` routes by `{options.name}` and has no member to call."
        raise SettingsError(message)
    if model is None:
        return _embedded(cards, subjects=subjects)
    names = [card.name for card in cards]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        message = (
            f"`{owner}` routes by `{options.name}`, and several of its members are called "
            f"{', '.join(doubled)}, which makes one tool; rename one."
        )
        raise SettingsError(message)
    starts_runs = any(card.starts_runs for card in cards)
    taken = tool_names(options, len(cards), starts_runs=starts_runs) & set(names)
    if taken:
        message = (
            f"`{owner}` routes by `{options.name}`, whose own tools are called "
            f"{', '.join(sorted(taken))}; rename the member of that name."
        )
        raise SettingsError(message)
    stand_by = _stand_by(cards, subjects=subjects)
    return ToolRouter(model, options, cards=cards, otherwise=stand_by)


def _stand_by(cards: Sequence[MemberCard], *, subjects: bool) -> EmbeddedRouter | None:
    """Return the fallback router for a failing model, if there are examples to learn from."""
    if not all(card.examples for card in cards):
        return None
    return _embedded(cards, subjects=subjects)


def _embedded(cards: Sequence[MemberCard], *, subjects: bool) -> EmbeddedRouter:
    store = RouterStore(cache_directory() / "routers")
    return EmbeddedRouter(cards, subjects=subjects, store=store)
