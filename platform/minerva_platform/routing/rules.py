"""Rules that map words to members, for requests that must always take the same way."""

import re
from collections.abc import Iterable

from minerva_platform.config.settings import Rule
from minerva_platform.contract.router import (
    Decision,
    Goal,
    Router,
    RoutingView,
    TrainedRouter,
    choose_by_examples,
    prepare_router,
    served_words,
)
from minerva_platform.errors import SettingsError

NAME = "rules"
"""The name of this router in its decisions."""
READ = 4_000
"""Characters of a request that are searched for a rule's words."""


class RulesRouter:
    """Answers with the first rule whose words are in the request, else with `otherwise`."""

    def __init__(
        self, rules: Iterable[Rule], *, owner: str, members: Iterable[str], otherwise: Router
    ) -> None:
        known = tuple(members)
        self._rules = [(_compile_rule(rule, owner, known), rule.goals) for rule in rules]
        self._otherwise = otherwise
        if not self._rules:
            message = f"`{owner}` routes by rules and has none; give it `rules:`, or no `router:`."
            raise SettingsError(message)

    @property
    def learns_from_examples(self) -> bool:
        """True if a request that fits no rule is routed by examples."""
        return isinstance(self._otherwise, TrainedRouter) and self._otherwise.learns_from_examples

    def prepare(self) -> None:
        """Train the other router before any run's clock starts."""
        prepare_router(self._otherwise)

    async def decide(self, view: RoutingView) -> Decision:
        """Return the goals of the first rule that fits."""
        here = {card.name for card in view.members}
        for pattern, goals in self._rules:
            if pattern.search(view.request[:READ]) and here.issuperset(goals):
                words, unserved = self._judge(pattern, view)
                return Decision(
                    goals=tuple(Goal(member=name, request=words) for name in goals),
                    finish=True,
                    unserved=unserved,
                    reason=f"The request holds `{pattern.pattern}`.",
                    router=NAME,
                )
        return await self._otherwise.decide(view)

    def _judge(self, pattern: re.Pattern[str], view: RoutingView) -> tuple[str, tuple[str, ...]]:
        """Return the words for the goals, and the unserved parts that the rule does not name."""
        if view.in_scope:
            return view.request, ()
        chosen = choose_by_examples(self._otherwise, view.request)
        unserved = tuple(part for part in chosen.unserved if not pattern.search(part))
        is_cut = bool(unserved) and unserved == chosen.unserved
        return served_words(chosen) if is_cut else view.request, unserved


def _compile_rule(rule: Rule, owner: str, names: tuple[str, ...]) -> re.Pattern[str]:
    unknown = [name for name in rule.goals if name not in names]
    if unknown:
        message = f"A rule of `{owner}` names `{unknown[0]}`; its members are {', '.join(names)}."
        raise SettingsError(message)
    try:
        return re.compile(rule.when, re.IGNORECASE)
    except re.error as error:
        message = f"A rule of `{owner}` has a pattern that is none, `{rule.when}`: {error}."
        raise SettingsError(message) from error
