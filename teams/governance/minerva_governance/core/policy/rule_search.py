"""Find the rules and clauses that a question is about, by its words.

Korean glues particles to words, so Hangul is compared by syllable pairs, Latin by words. A pair
that stands in many rules weighs little. What a predicate is called in daily words counts too.
"""

import math
import re
from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict

from minerva_governance.core.detection.column_name import promised_entity
from minerva_governance.core.detection.entity import ENTITIES, LABELS
from minerva_governance.core.policy.rule import Policy, Predicate, Rule
from minerva_governance.core.review.notice import Clause

MIN_SCORE = 0.25
"""Share of the question's weight that must be found; below it nothing is claimed."""

_DAILY_WORDS: dict[Predicate, str] = {
    "encrypted": "암호화 암호 평문 저장 보관 encrypt encrypted encryption plain text storage",
    "in_notice": "처리방침 고지 수집 항목 동의 notice collected items disclosure consent",
    "standard_name": "표준 이름 명칭 컬럼명 용어 standard name naming convention",
    "retention_days": "보유 보존 보관 기간 파기 삭제 몇년 retention retain keep kept delete years",
    "k_anonymity": "익명 비식별 가명 재식별 반출 제공 내보내기 anonymity anonymous export share",
    "sink": "로그 출력 화면 기록 콘솔 log logs logging print console output",
    "license": "라이선스 오픈소스 라이브러리 license licence open source library dependency",
    "cel": "조건식 expression",
}
_STOP_PAIRS = frozenset(
    {"하는", "해야", "되는", "어떤", "무엇", "있는", "인가", "나요", "주세", "세요"}
)
_STOP_WORDS = frozenset(
    "a an and are be can do does for how i if in is it may must of on or our say the there to we "
    "what when where which who why with about any rule rules policy policies clause".split()
)
_TOKEN = re.compile(r"[a-z0-9][a-z0-9_-]*|[가-힣]+")


class RuleHit(BaseModel):
    """A rule or clause that answers a question, with the words to quote."""

    model_config = ConfigDict(frozen=True)

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
        weights[gram] = math.log(1 + len(documents) / holding) if holding else 0.3
    return weights


def _rule_document(rule: Rule) -> tuple[RuleHit, frozenset[str]]:
    entities = () if rule.pii == ENTITIES else rule.pii
    words = [rule.id, rule.title, *rule.authority]
    words += [_DAILY_WORDS[requirement.predicate] for requirement in rule.requirements]
    words += ["개인정보 personal data"] if rule.pii else []
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
    words += [_DAILY_WORDS["retention_days"]] if clause.retention_days else []
    words += [_DAILY_WORDS["in_notice"]] if clause.lists_items else []
    return hit, frozenset(_grams(" ".join(words)))


def _entity_grams(question: str) -> set[str]:
    """주민번호 also asks for 주민등록번호: the question's entity is asked by its full name."""
    grams: set[str] = set()
    for word in question.split():
        entity = promised_entity("", word)
        if entity is not None:
            grams |= _label_grams(entity)
    return grams


def _label_grams(entity: str) -> set[str]:
    return _grams(" ".join(LABELS[entity])) | {entity.casefold()}  # type: ignore[index]  # an Entity


def _grams(text: str) -> set[str]:
    grams: set[str] = set()
    for token in _TOKEN.findall(text.casefold()):
        if "가" <= token[0] <= "힣":
            pairs = {token[at : at + 2] for at in range(len(token) - 1)} or {token}
            grams |= pairs - _STOP_PAIRS
        elif token not in _STOP_WORDS:
            grams.add(token.removesuffix("s") if len(token) > 3 else token)  # noqa: PLR2004  # logs, not gas
    return grams
