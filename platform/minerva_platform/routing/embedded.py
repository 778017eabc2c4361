"""Route offline: a linear model per supervisor, trained from the members' examples.

The default router. It needs no model call and no data beyond the `examples`
that members declare, answers in well under a millisecond, and says "nobody"
when a request resembles nobody's examples. The same members and the same
request give the same decision, in whatever order the members were listed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from minerva_platform.routing.clauses import READ, split_clauses
from minerva_platform.routing.errors import MissingExamplesError
from minerva_platform.routing.grammar import BACK_REFERENCE
from minerva_platform.routing.linear import LinearModel, train_linear_model
from minerva_platform.routing.protocol import Decision, Goal, MemberCard, RoutingView
from minerva_platform.routing.scope import Scope, measure_scope

NAME = "embedded"


@dataclass(frozen=True)
class Ranking:
    """Members for one text, best first, with their scores."""

    text: str
    members: tuple[tuple[str, float], ...]

    @property
    def best(self) -> str:
        """The member with the highest score."""
        return self.members[0][0]

    @property
    def score(self) -> float:
        """The best member's score."""
        return self.members[0][1]

    @property
    def runner_up(self) -> str | None:
        """The second member, if there is one."""
        return self.members[1][0] if len(self.members) > 1 else None

    @property
    def margin(self) -> float | None:
        """How far the best is ahead of the second."""
        return self.score - self.members[1][1] if len(self.members) > 1 else None
