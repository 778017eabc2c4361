"""Route offline: a linear model per supervisor, trained from the members' examples.

This is the default router. It needs no model call and no data beyond the `examples` that members
declare. It answers in well under a millisecond. A request that resembles no examples is out of
scope. The same members and the same request give the same decision, in any order of the members.
"""

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from math import inf

from minerva_platform.contract.router import Decision, Evidence, Goal, MemberCard, RoutingView
from minerva_platform.errors import MissingExamplesError
from minerva_platform.routing.clauses.content_words import names_subject, thing_stems
from minerva_platform.routing.clauses.merging import (
    MAX_CLAUSE_CHARACTERS,
    Clause,
    Label,
    join_clauses,
    merge,
    with_lists,
    with_subjects,
)
from minerva_platform.routing.clauses.splitting import MAX_PIECES, READ, cut, words_of_clause
from minerva_platform.routing.training.classifier import LinearModel, TrainingSet
from minerva_platform.routing.training.model_cache import RouterStore, learn
from minerva_platform.routing.training.thresholds import ScoreThresholds
from minerva_platform.text.restrictions import restrictions_in, without_restrictions

NAME = "embedded"
"""The name of this router in its decisions."""

EVIDENCE_WEIGHT = 1.0
"""What evidence of 1 adds to a score. From 0.25 to 1.5 the decisions on strangers' requests are the
same; at 2 they are worse (`make bench ARGS=routing_quality`)."""

NOBODY_LEAD = 0.05
"""How far out of scope must lead a part of a request before it is nobody's. With it fewer single
requests say "Not done", and as many unserved parts are named (`make bench ARGS=joined`)."""

_DIGITS = 4
_ANSWERED = frozenset({"ok", "ok_degraded"})


@dataclass(frozen=True)
class Ranking:
    """The members for one text, best first. It is empty only if no member was allowed."""

    text: str
    members: tuple[tuple[str, float], ...]

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


class EmbeddedRouter:
    """A `Router` that learns its members from their examples.

    Args:
        members: Cards of the supervisor's members, each with examples.
        absent: Cards of teams that were left out. Their work is known by it, and goes to nobody.
        subjects: True if each member has a subject of its own, as the teams of a platform do. Then
            a clause that only describes the form of the answer stays with the one before. In one
            team the form may be the whole job of a worker.
        store: Where the trained model is kept for the next start, or None to train each time.

    Raises:
        MissingExamplesError: A member has no examples, or there is no member.
    """

    learns_from_examples = True

    def __init__(
        self,
        members: Iterable[MemberCard],
        *,
        absent: Iterable[MemberCard] = (),
        subjects: bool = False,
        store: RouterStore | None = None,
    ) -> None:
        cards, others = sorted(members, key=lambda card: card.name), tuple(absent)
        missing = [card.name for card in cards if not any(map(str.strip, card.examples))]
        if missing or not cards:
            raise MissingExamplesError(missing)
        self._absent = frozenset(card.name for card in others)
        cards = sorted((*cards, *others), key=lambda card: card.name)
        self._names = tuple(card.name for card in cards)
        self._subjects = subjects
        self._details = thing_stems(*(word for card in cards for word in card.aspects))
        texts = [text for card in cards for text in card.examples]
        labels = [number for number, card in enumerate(cards) for _ in card.examples]
        served = set(texts)  # a request that one member declines may be another's work
        declined = sorted({text for card in cards for text in card.declines} - served)
        self._examples = TrainingSet(texts, labels, members=len(cards), declined_texts=declined)
        self._store = store
        self._evidence: Mapping[str, Evidence] = {}

    @cached_property
    def thresholds(self) -> ScoreThresholds:
        """The thresholds of scores, measured before the first decision."""
        return self._model_and_thresholds[1]

    @cached_property
    def _model_and_thresholds(self) -> tuple[LinearModel, ScoreThresholds]:
        return self._store.recall(self._examples) if self._store else learn(self._examples)

    def prepare(self) -> None:
        """Train now, before any run's clock starts."""
        _ = self._model_and_thresholds

    async def decide(self, view: RoutingView) -> Decision:
        """Choose the members whose examples the request's clauses resemble.

        Members that already answered are not asked again. If no other member is meant, the decision
        is to finish.
        """
        decision = self._with_evidence(view.evidence).choose(
            view.request,
            among={*self._absent, *(card.name for card in view.members)},
            may_refuse=not view.in_scope,
        )
        answered = {result.member for result in view.results if result.status in _ANSWERED}
        if answered.isdisjoint(goal.member for goal in decision.goals):
            return decision
        left = tuple(goal for goal in decision.goals if goal.member not in answered)
        return decision.model_copy(update={"goals": left})

    def _with_evidence(self, evidence: Mapping[str, Evidence]) -> "EmbeddedRouter":
        """Return this router for one request, in whose scores `evidence` counts."""
        if not evidence:
            return self
        self.prepare()
        here = copy(self)
        here._evidence = evidence  # noqa: SLF001  # our own copy
        return here

    def rank(self, text: str, *, among: Container[str] | None = None) -> Ranking:
        """Return the members ranked for `text` as one clause, even if it is out of scope."""
        scores, _ = self._scores(text, among)
        return Ranking(text=text, members=tuple(sorted(scores.items(), key=lambda pair: -pair[1])))

    def _scores(self, text: str, among: Container[str] | None) -> tuple[dict[str, float], float]:
        """Return the score of `text` for each member, and as mere background."""
        model, _ = self._model_and_thresholds
        *own, background = model.scores(text[:READ])
        scores = dict(zip(self._names, own, strict=True))
        for name, found in self._evidence.items():
            if name in scores and found.speaks_of(text):
                scores[name] += EVIDENCE_WEIGHT * found.score
        return {n: score for n, score in scores.items() if among is None or n in among}, background

    def is_sure(self, decision: Decision) -> bool:
        """True if no other decision is nearly as good."""
        if decision.margin is None:
            return bool(decision.goals)
        return decision.margin >= self.thresholds.sure

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
        accept, whole = partial(_accept, absent=self._absent), self.rank(request, among=among)
        if not whole.members:
            return Decision(router=NAME, reason="None of these members was there at training.")
        pieces = cut(request, (name for one in self._evidence.values() for name in one.words))
        pieces = with_lists(with_subjects(pieces) if self._subjects else pieces, self._details)
        names_unserved = may_refuse and len(pieces) < MAX_PIECES  # more of them are pasted text
        know = partial(self._know, among=among, names_unserved=names_unserved)
        divided = merge(pieces, know)
        runs = (self.rank(part.text, among=among) for part in divided if part.label)
        best = max((whole, *runs), key=lambda ranking: ranking.score)
        parts = join_clauses(self._with_owner(part, among) for part in join_clauses(divided))
        if names_unserved and not any(part.label for part in parts):
            parts = join_clauses(self._clearly_owned(piece.text, among) for piece in pieces)
            rankings = (self.rank(part.text, among=among) for part in parts if part.label)
            best = max((best, *rankings), key=lambda ranking: ranking.score)
        if not any(part.label for part in parts):
            parts = [Clause(request, whole.best)]
        clauses = [self.rank(part.text, among=among) for part in parts if part.label]
        owners = [part.label for part in parts if part.label]
        distance = best.score - self.thresholds.threshold if may_refuse else inf
        if owners and distance >= 0:
            unserved = [part.text for part in parts if not part.label]
            return accept(request, clauses, owners, unserved, distance=distance)
        return self._without_restrictions(request, among) or self._refuse(best)

    def _know(
        self,
        text: str,
        stands_alone: bool,  # noqa: FBT001  # by position, as `merge` calls it
        *,
        among: Container[str] | None,
        names_unserved: bool,
    ) -> dict[Label, float]:
        """Return what the members, and nobody, say about a run of pieces of a request.

        What is only said around a wish counts for no member, so it stays with its neighbour.
        Without nobody, scores begin at the threshold: with few examples even a member's own clauses
        are below 0, where two are worth less than one.
        """
        words = words_of_clause(text) or text
        scores, background = self._scores(words, among)
        level = max(background, 0.0)
        if not names_unserved:
            level += min(self.thresholds.threshold, 0.0)
        labels: dict[Label, float] = {name: score - level for name, score in scores.items()}
        if names_unserved and stands_alone and self._could_be_work(words):
            labels[None] = -background - NOBODY_LEAD
        return labels

    def _could_be_work(self, words: str) -> bool:
        """True if `words` name more than details of a member's things, and are not pasted."""
        is_short = len(words) <= MAX_CLAUSE_CHARACTERS
        return is_short and names_subject(words) and not thing_stems(words) <= self._details

    def _clearly_owned(self, text: str, among: Container[str] | None) -> Clause:
        """Return a piece of a refused request, with the member whose work it clearly is by itself.

        Beside a long part that is nobody's, the price of a change weighs more than the member.
        """
        own = self.rank(words_of_clause(text) or text, among=among)
        is_clear = min(own.score, own.margin) >= self.thresholds.clear
        return Clause(text, own.best if is_clear and self._could_be_work(text) else None)

    def _with_owner(self, part: Clause, among: Container[str] | None) -> Clause:
        """Return `part` with a member if it is nobody's, but would be accepted by itself."""
        own = self.rank(words_of_clause(part.text), among=among)
        least = max(self.thresholds.threshold, 0.0)  # below 0 it is nearer to nobody
        is_served = part.label is None and own.score >= least
        return Clause(part.text, own.best) if is_served else part

    def _without_restrictions(self, request: str, among: Container[str] | None) -> Decision | None:
        """Return the decision for a refused request without its words for when, who and where.

        Restricting words (written by Kim) are in no example, so they hide the meaning of the
        others.
        """
        rest = without_restrictions(request, restrictions_in(request))
        if rest == request or not rest.strip():
            return None
        accept, whole = partial(_accept, absent=self._absent), self.rank(rest, among=among)
        distance = whole.score - self.thresholds.threshold
        is_clear = whole.margin >= self.thresholds.clear and distance >= 0
        return accept(request, [whole], [whole.best], [], distance=distance) if is_clear else None

    def _refuse(self, nearest: Ranking) -> Decision:
        missing = self.thresholds.threshold - nearest.score
        return Decision(
            reason=f"Nobody's examples resemble this; {nearest.best} comes nearest, {missing:.2f} "
            "below the lowest score of a request that belongs here.",
            scores={name: round(score, _DIGITS) for name, score in nearest.members},
            runner_up=nearest.best,
            margin=round(missing, _DIGITS),
            router=NAME,
        )


def _accept(
    request: str,
    clauses: Sequence[Ranking],
    owners: Sequence[str],
    unserved: Sequence[str],
    *,
    distance: float,
    absent: Collection[str],
) -> Decision:
    """Return the decision that gives each owner the words of its clauses, as written.

    The words of `unserved` go to no owner, because a worker would take them for its own part. Nor
    do those of an `absent` owner. `distance` is that to a refusal. If it is the smallest margin,
    nobody is the runner-up.
    """
    parts: dict[str, list[str]] = {}
    for owner, group in groupby(zip(owners, clauses, strict=True), key=lambda pair: pair[0]):
        parts.setdefault(owner, []).append("".join(clause.text for _, clause in group).strip())
    reason = f"{len(clauses)} clause(s) resemble the examples of {', '.join(parts)}."
    lost_parts = [(owner, text) for owner in parts if owner in absent for text in parts[owner]]
    parts = {owner: words for owner, words in parts.items() if owner not in absent}
    is_whole = len(parts) == 1 and not (unserved or lost_parts)
    texts = [request] if is_whole else [" ".join(words) for words in parts.values()]
    scores: dict[str, float] = {}
    for clause in clauses:
        for name, score in clause.members:
            scores[name] = round(max(score, scores.get(name, score)), _DIGITS)
    closest = min(clauses, key=lambda clause: clause.margin)
    margin = min(closest.margin, distance)
    return Decision(
        goals=tuple(
            Goal(member=member, request=text) for member, text in zip(parts, texts, strict=True)
        ),
        unserved=tuple(map(words_of_clause, unserved)),
        finish=True,
        absent=tuple(
            Goal(member=owner, request=words_of_clause(text)) for owner, text in lost_parts
        ),
        reason=reason,
        scores=scores,
        runner_up=closest.runner_up if margin == closest.margin else None,
        margin=None if margin == inf else round(margin, _DIGITS),
        router=NAME,
    )
