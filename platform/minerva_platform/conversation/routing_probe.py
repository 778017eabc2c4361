"""Which members serve some words, by the examples alone."""

from typing import TYPE_CHECKING

from minerva_platform.contract.router import ExamplesRouter

if TYPE_CHECKING:
    from minerva_platform.contract.assembled_team import AssembledTeam


def served_by(team: "AssembledTeam", words: str) -> frozenset[str] | None:
    """Return the members that the examples choose for `words`; None if nothing can tell."""
    if not isinstance(team.router, ExamplesRouter):
        return None
    return frozenset(goal.member for goal in team.router.choose(words).goals)


def plainly_served_by(team: "AssembledTeam", words: str) -> frozenset[str] | None:
    """Return the members that the examples choose for certain; none if they are in doubt.

    None if the router has no examples, and so cannot tell without a model.
    """
    router = team.router
    if not isinstance(router, ExamplesRouter):
        return None
    decision = router.choose(words)
    if not router.is_sure(decision):
        return frozenset()
    return frozenset(goal.member for goal in decision.goals)
