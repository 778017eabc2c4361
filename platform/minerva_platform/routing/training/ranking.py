"""The members for one text, best first: what the embedded router decides from."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Ranking:
    """Scores of one text; there is at least one member unless none was allowed."""

    text: str
    members: tuple[tuple[str, float], ...]
    nobody: float = float("-inf")
    """The score of what no member serves."""

    @property
    def best(self) -> str:
        """The member with the highest score: the forced choice."""
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
    def margin(self) -> float:
        """How far the best is ahead of the second; infinite if there is no second."""
        return self.score - self.members[1][1] if len(self.members) > 1 else float("inf")

    def score_of(self, member: str) -> float:
        """The score of `member`."""
        return dict(self.members)[member]
