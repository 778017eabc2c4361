"""Route offline: a linear model per supervisor, trained from the members' examples.

This is the default router. It needs no model call and no data beyond the `examples` that members
declare. It answers in well under a millisecond. A request that resembles no examples is out of
scope. The same members and the same request give the same decision, in any order of the members.
"""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby
from math import inf
from operator import itemgetter

from minerva_platform.routing.clauses.asks_for_work import (
    asks_for_work,
    detail_stems,
    words_of_clause,
)
from minerva_platform.routing.clauses.content_words import names_subject
from minerva_platform.routing.clauses.splitting import MAX_CLAUSES, READ, list_borders, split_wishes
from minerva_platform.routing.errors import MissingExamplesError
from minerva_platform.routing.protocol import Decision, Goal, MemberCard, RoutingView
from minerva_platform.routing.training.classifier import LinearModel, TrainingSet
from minerva_platform.routing.training.model_cache import RouterStore, learn
from minerva_platform.routing.training.thresholds import ScoreThresholds
from minerva_platform.text.restrictions import restrictions_in, without_restrictions

NAME = "embedded"
"""The name of this router in its decisions."""

_DIGITS = 4
_ANSWERED = frozenset({"ok", "ok_degraded"})


@dataclass(frozen=True)
class Ranking:
    """The members for one text, best first. It is empty only if no member was allowed."""

    text: str
    members: tuple[tuple[str, float], ...]
    nobody: float = float("-inf")
    """The score of the class of out-of-scope requests."""

    @property
    def best(self) -> str:
        """The member with the highest score, even if that is low."""
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
        """The best score less the second one. Infinite without a second member."""
        return self.score - self.members[1][1] if len(self.members) > 1 else float("inf")

    def score_of(self, member: str) -> float:
        """The score of `member`."""
        return dict(self.members)[member]


class EmbeddedRouter:
    """A `Router` that learns its members from their examples.

    Args:
        members: Cards of the supervisor's members, each with examples.
        subjects: True if each member has a subject of its own, as the teams of a platform do. Then
            nouns alone can tell members apart ("the names and the callers"), and a clause that only
            describes the form of the answer stays with the member before it. Workers of one team
            share their nouns, and the form may be the whole job of one.
        store: Where the trained model is kept for the next start, or None to train each time.

    Raises:
        MissingExamplesError: A member has no examples, or there is no member.
    """

    learns_from_examples = True

    def __init__(
        self,
        members: Iterable[MemberCard],
        *,
        subjects: bool = False,
        store: RouterStore | None = None,
    ) -> None:
        cards = sorted(members, key=lambda card: card.name)
        missing = [card.name for card in cards if not any(map(str.strip, card.examples))]
        if missing or not cards:
            raise MissingExamplesError(missing)
        self._names = tuple(card.name for card in cards)
        self._subjects = subjects
        self._details = detail_stems(word for card in cards for word in card.aspects)
        texts = [text for card in cards for text in card.examples]
        labels = [number for number, card in enumerate(cards) for _ in card.examples]
        served = set(texts)  # a request that one member declines may be another's work
        declined = sorted({text for card in cards for text in card.declines} - served)
        self._examples = TrainingSet(texts, labels, members=len(cards), declined=declined)
        self._store = store

    @cached_property
    def thresholds(self) -> ScoreThresholds:
        """The thresholds of scores, measured before the first decision."""
        return self._learned[1]

    @property
    def _model(self) -> LinearModel:
        return self._learned[0]

    @cached_property
    def _learned(self) -> tuple[LinearModel, ScoreThresholds]:
        return self._store.recall(self._examples) if self._store else learn(self._examples)

    def prepare(self) -> None:
        """Train now, before any run's clock starts."""
        _ = self._learned

    async def decide(self, view: RoutingView) -> Decision:
        """Choose the members whose examples the request's clauses resemble.

        Members that already answered are not asked again. If no other member is meant, the decision
        is to finish.
        """
        decision = self.choose(
            view.request,
            among={card.name for card in view.members},
            may_refuse=not view.in_scope,
        )
        answered = {result.member for result in view.results if result.status in _ANSWERED}
        if answered.isdisjoint(goal.member for goal in decision.goals):
            return decision
        left = tuple(goal for goal in decision.goals if goal.member not in answered)
        return decision.model_copy(update={"goals": left})

    def rank(self, text: str, *, among: Container[str] | None = None) -> Ranking:
        """Return the members ranked for `text` as one clause, even if it is out of scope."""
        scores = self._model.scores(text[:READ])
        named = zip(self._names, scores.members, strict=True)
        pairs = [pair for pair in named if among is None or pair[0] in among]
        ranked = tuple(sorted(pairs, key=lambda pair: -pair[1]))
        return Ranking(text=text, members=ranked, nobody=scores.nobody)

    def is_sure(self, decision: Decision) -> bool:
        """True if the best member of `decision` is plainly ahead of the next."""
        return (decision.margin or 0.0) >= self.thresholds.sure

    def choose(
        self,
        request: str,
        *,
        among: Container[str] | None = None,
        may_refuse: bool = True,
    ) -> Decision:
        """Decide for `request` alone, among all members or those named.

        With `may_refuse`, a request or a part of it that resembles no examples has no member.
        """
        whole = self.rank(request, among=among)
        if not whole.members:
            return Decision(router=NAME, reason="None of these members was there at training.")
        wishes = split_wishes(request)
        unserved = self._unserved_parts(wishes, among) if may_refuse else []
        texts = [
            "".join(part for part in clause if part not in unserved)
            for clause in wishes
            if not set(clause) <= set(unserved)
        ]
        clauses = (
            [whole] if texts == [request] else [self.rank(text, among=among) for text in texts]
        )
        if self._subjects:
            clauses = [part for clause in clauses for part in self._divide(clause, among)]
        owners = self._owners(clauses, whole, refusing=may_refuse)
        if owners:
            return _accept(request, clauses, owners, unserved)
        return self._without_restrictions(request, among) or self._refuse(whole)

    def _without_restrictions(self, request: str, among: Container[str] | None) -> Decision | None:
        """Return the decision for a refused request without its words for when, who and where.

        Restricting words (written by Kim) are in no example, so they hide the meaning of the
        others.
        """
        rest = without_restrictions(request, restrictions_in(request))
        if rest == request or not rest.strip():
            return None
        whole = self.rank(rest, among=among)
        is_clear = (
            whole.margin >= self.thresholds.clear and whole.score >= self.thresholds.threshold
        )
        return _accept(request, [whole], [whole.best], []) if is_clear else None

    def _unserved_parts(
        self, wishes: Sequence[Sequence[str]], among: Container[str] | None
    ) -> list[str]:
        """Return the parts of a compound request that no member serves."""
        parts = [part for clause in wishes for part in clause]
        if not 1 < len(parts) < MAX_CLAUSES:  # more of them are pasted text
            return []
        return [part for part in parts if self._is_nobodys(part, among)]

    def _is_nobodys(self, part: str, among: Container[str] | None) -> bool:
        """True if `part` asks for work that no member serves.

        Such a part resembles no member's examples. Or it resembles the out-of-scope examples by the
        same clear margin that one member must have over another. Joining words do not count,
        because they are much of a short part.
        """
        if not asks_for_work(part, self._details):
            return False
        alone = self.rank(words_of_clause(part), among=among)
        if alone.nobody - alone.score >= self.thresholds.clear:
            return True
        return max(alone.score, self.rank(part, among=among).score) < self.thresholds.floor

    def _divide(self, clause: Ranking, among: Container[str] | None) -> list[Ranking]:
        """Divide a list of nouns whose sides clearly name different subjects (약어랑|코드 위치)."""
        best: tuple[float, list[Ranking]] = (self.thresholds.floor, [])
        for border in list_borders(clause.text):
            if not (names_subject(clause.text[:border]) and names_subject(clause.text[border:])):
                continue
            left = self.rank(clause.text[:border], among=among)
            right = self.rank(clause.text[border:], among=among)
            sure = min(left.margin, right.margin) >= self.thresholds.clear
            if sure and left.best != right.best:
                best = max(best, (min(left.score, right.score), [left, right]), key=itemgetter(0))
        return [part for half in best[1] for part in self._divide(half, among)] or [clause]

    def _owners(self, clauses: Sequence[Ranking], whole: Ranking, *, refusing: bool) -> list[str]:
        """Return the member of each clause. Empty if no member serves any clause."""
        found: list[str | None] = []
        latest = whole.best
        for clause in clauses:
            owner = self._owner(clause, latest)
            found.append(owner)
            latest = owner or latest
        best = max(whole.score, *(clause.score for clause in clauses)) if clauses else -inf
        if refusing and best < self.thresholds.threshold:
            return []
        first = next((owner for owner in found if owner), whole.best)
        return list(accumulate(found, lambda last, owner: owner or last, initial=first))[1:]

    def _owner(self, clause: Ranking, latest: str) -> str | None:
        """Return the member that `clause` is for, or None if its own words do not say.

        A member other than `latest` needs a clear margin.
        """
        if clause.score < self.thresholds.floor:
            return None
        if self._subjects and not names_subject(clause.text):
            return None
        unclear = clause.score - clause.score_of(latest) < self.thresholds.clear
        return latest if unclear else clause.best

    def _refuse(self, whole: Ranking) -> Decision:
        missing = self.thresholds.threshold - whole.score
        return Decision(
            reason=f"Nobody's examples resemble this; {whole.best} comes nearest, {missing:.2f} "
            "below the lowest score of a request that belongs here.",
            scores={name: round(score, _DIGITS) for name, score in whole.members},
            runner_up=whole.best,
            margin=round(missing, _DIGITS),
            router=NAME,
        )


def _accept(
    request: str,
    clauses: Sequence[Ranking],
    owners: Sequence[str],
    unserved: Sequence[str],
) -> Decision:
    """Return the decision that gives each owner the words of its clauses, as written.

    The words of `unserved` go to no owner, because a worker would take them for its own part.
    """
    parts: dict[str, list[str]] = {}
    for owner, group in groupby(zip(owners, clauses, strict=True), key=lambda pair: pair[0]):
        parts.setdefault(owner, []).append("".join(clause.text for _, clause in group).strip())
    is_whole = len(parts) == 1 and not unserved
    texts = [request] if is_whole else [" ".join(words) for words in parts.values()]
    scores: dict[str, float] = {}
    for clause in clauses:
        for name, score in clause.members:
            scores[name] = round(max(score, scores.get(name, score)), _DIGITS)
    closest = min(clauses, key=lambda clause: clause.margin)
    return Decision(
        goals=tuple(
            Goal(member=member, request=text) for member, text in zip(parts, texts, strict=True)
        ),
        unserved=tuple(map(words_of_clause, unserved)),
        finish=True,
        reason=f"{len(clauses)} clause(s) resemble the examples of {', '.join(parts)}.",
        scores=scores,
        runner_up=closest.runner_up,
        margin=None if closest.runner_up is None else round(closest.margin, _DIGITS),
        router=NAME,
    )
