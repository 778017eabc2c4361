"""What a privacy notice promises, where its words leave nothing open, and what breaks it.

Understood are five promises: no personal data in logs, stored encrypted, given to nobody else,
nothing collected that is not listed, and a period (`retention_days.py` reads it). A sentence with a
condition, and an article with an exception, promise nothing here. That data serves one purpose only
is no promise that a line of code can be held against. The words lie in `words/promises.toml`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.kinds.review_context import current_catalogue
from minerva_governance.core.review.finding import Promise, PromiseKind
from minerva_governance.core.review.notice import Clause
from minerva_platform.text import read_words

_WORDS = read_words("minerva_governance.core.review", "promises")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?。])\s+")
_KINDS: Final[tuple[PromiseKind, ...]] = ("no_log", "encrypted", "no_third_party")
_BROKEN_BY: Final[dict[str, frozenset[PromiseKind]]] = {
    "log": frozenset({"no_log", "encrypted"}),
    "file": frozenset({"encrypted"}),
    "http": frozenset({"no_third_party"}),
}
"""Sinks and what a value that arrives there in the clear breaks."""


def promises_in(clauses: Sequence[Clause]) -> tuple[Promise, ...]:
    """Return the promises of a notice whose words leave nothing open."""
    open_articles = {
        (each.source, each.heading)
        for each in clauses
        if _WORDS.says("exception", _without("no_other_items", each.text))
    }
    return tuple(
        promise
        for clause in clauses
        if not clause.is_hidden and (clause.source, clause.heading) not in open_articles
        for promise in _promises(clause)
    )


def _promises(clause: Clause) -> Iterator[Promise]:
    for sentence in _SENTENCE_END.split(clause.text):
        rest = _without("no_other_items", sentence)  # "nothing besides these" is no condition
        if rest != sentence and not _WORDS.says("conditional", rest):
            yield _promise("no_other_items", clause, sentence)
        kinds: list[PromiseKind] = [kind for kind in _KINDS if _WORDS.says(kind, sentence)]
        if not kinds or _WORDS.says("conditional", sentence):
            continue
        entities = tuple(
            entity
            for entity in current_catalogue().personal_ids
            if clause.model_copy(update={"text": sentence}).names(entity)
        )
        if not entities and not _WORDS.says("all_data", sentence):
            continue  # it may speak of anything
        for kind in kinds:
            yield _promise(kind, clause, sentence, entities)


def _promise(
    kind: PromiseKind, clause: Clause, sentence: str, entities: tuple[Entity, ...] = ()
) -> Promise:
    return Promise(
        kind=kind,
        clause=clause.id,
        quote=sentence,
        source=clause.source,
        line=clause.line,
        entities=entities,
    )


def broken_by_flow(
    promises: Iterable[Promise], sink: str, entity: Entity, host: str = ""
) -> tuple[Promise, ...]:
    """Return the promises that a value breaks which reaches a sink in the clear."""
    kinds = _BROKEN_BY.get(sink, frozenset())
    if sink == "http" and (not host or _WORDS.pattern("own_hosts").search(host)):
        return ()
    return tuple(one for one in promises if one.kind in kinds and one.is_about(entity))


def broken_by_values(promises: Iterable[Promise], entity: Entity) -> tuple[Promise, ...]:
    """Return the promises that values break which lie in a data file in the clear."""
    return tuple(one for one in promises if one.kind == "encrypted" and one.is_about(entity))


def broken_by_collecting(
    promises: Iterable[Promise], sources: Iterable[str]
) -> tuple[Promise, ...]:
    """Return the promises of the notices `sources` that data breaks which no item of them names."""
    among = set(sources)
    return tuple(one for one in promises if one.kind == "no_other_items" and one.source in among)


def _without(key: str, text: str) -> str:
    return _WORDS.pattern(key).sub("", text)
