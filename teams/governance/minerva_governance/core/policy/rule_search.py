"""Find the rules and clauses that a question is about, by its words.

Korean glues particles to words, so Hangul is compared by syllable pairs, Latin by words. A pair
that stands in many rules weighs little. What a predicate is called in daily words counts too; those
lie in `words/rule_search.toml`.
"""

import math
import re
from collections.abc import Iterable, Sequence
from functools import cache

from pydantic import BaseModel

from minerva_governance.core.detection.column_name import promised_entity
from minerva_governance.core.detection.entity import ENTITIES, Entity, label
from minerva_governance.core.policy.policy import Policy, Rule
from minerva_governance.core.review.notice import Clause
from minerva_platform.text import read_words

MIN_SCORE = 0.25
"""Share of the question's weight that must be found; below it nothing is claimed."""

_UNKNOWN_WEIGHT = 0.3
"""Of a gram that no document holds: enough of them make a question one about something else."""
_MIN_PLURAL_CHARACTERS = 4
"""Of a word whose `s` at the end is taken off: logs, but not gas."""
WORDS = read_words("minerva_governance.core.policy", "rule_search")
_TOKEN = re.compile(r"[a-z0-9][a-z0-9_-]*|[가-힣]+")


class RuleHit(BaseModel, frozen=True):
    """A rule or clause that answers a question, with the words to quote."""

    id: str
    quote: str
    score: float
    source: str
    line: int
    is_clause: bool = False


def search_rules(
    question: str, policies: Sequence[Policy], clauses: Sequence[Clause], *, limit: int = 5
) -> tuple[RuleHit, ...]:
    """Return what in the policies and the notice `question` is about, best first."""
    documents = [_rule_document(rule) for policy in policies for rule in policy.rules]
    documents += [_clause_document(clause) for clause in clauses]
    asked = _grams(question) | _entity_grams(question)
    if not asked or not documents:
        return ()
    weight = _weights(asked, [grams for _, grams in documents])
    total = sum(weight.values())
    hits: list[RuleHit] = []
    for hit, grams in documents:
        named = hit.id.casefold() in question.casefold()
        score = 1.0 if named else sum(weight[gram] for gram in asked & grams) / total
        if score >= MIN_SCORE:
            hits.append(hit.model_copy(update={"score": round(score, 3)}))
    return tuple(sorted(hits, key=lambda hit: -hit.score)[:limit])


def _weights(asked: Iterable[str], documents: Sequence[frozenset[str]]) -> dict[str, float]:
    """Weigh each gram by how few documents hold it; one that none holds weighs least."""
    weights: dict[str, float] = {}
    for gram in asked:
        holding = sum(gram in grams for grams in documents)
        weights[gram] = math.log(1 + len(documents) / holding) if holding else _UNKNOWN_WEIGHT
    return weights


def _rule_document(rule: Rule) -> tuple[RuleHit, frozenset[str]]:
    entities = () if set(ENTITIES) <= set(rule.pii) else rule.pii
    words = [rule.id, rule.title, *rule.authority]
    for requirement in rule.requirements:
        words += WORDS[f"daily.{requirement.predicate}"]
    words += WORDS["rule.personal"] if rule.pii else ()
    grams = _grams(" ".join(words)).union(*(_label_grams(entity) for entity in entities))
    quote = rule.title or rule.id
    hit = RuleHit(id=rule.id, quote=quote, score=0, source=rule.source, line=rule.line)
    return hit, frozenset(grams)


def _clause_document(clause: Clause) -> tuple[RuleHit, frozenset[str]]:
    hit = RuleHit(
        id=clause.id,
        quote=clause.text,
        score=0,
        source=clause.source,
        line=clause.line,
        is_clause=True,
    )
    words = [clause.id, clause.heading, clause.text]
    words += WORDS["daily.retention_days"] if clause.retention_days else ()
    words += WORDS["daily.in_notice"] if clause.lists_items else ()
    return hit, frozenset(_grams(" ".join(words)))


def _entity_grams(question: str) -> set[str]:
    """주민번호 also asks for 주민등록번호: the question's entity is asked by its full name."""
    grams: set[str] = set()
    for word in question.split():
        entity = promised_entity("", word)
        if entity is not None:
            grams |= _label_grams(entity)
    return grams


def _label_grams(entity: Entity) -> set[str]:
    return _grams(f"{label(entity, 'ko')} {label(entity, 'en')}") | {entity.casefold()}


def _grams(text: str) -> set[str]:
    grams: set[str] = set()
    for token in _TOKEN.findall(text.casefold()):
        if "가" <= token[0] <= "힣":
            pairs = {token[at : at + 2] for at in range(len(token) - 1)} or {token}
            grams |= pairs - _stop("pairs")
        elif token not in _stop("words"):
            is_long = len(token) >= _MIN_PLURAL_CHARACTERS
            grams.add(token.removesuffix("s") if is_long else token)
    return grams


@cache
def _stop(kind: str) -> frozenset[str]:
    return frozenset(WORDS[f"stop.{kind}"])
