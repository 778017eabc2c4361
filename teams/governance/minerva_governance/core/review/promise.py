"""What a privacy notice promises, where its words leave nothing open, and which flow breaks it.

Understood are three promises: no personal data in logs, stored encrypted, given to nobody else. A
sentence with a condition, and an article with an exception, promise nothing here. That data serves
one purpose only is no promise that a line of code can be held against. The words lie in
`words/promises.toml`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.kinds.catalogue import catalogue
from minerva_governance.core.review.finding import Reference
from minerva_governance.core.review.notice import Clause
from minerva_platform.text import read_words

_WORDS = read_words("minerva_governance.core.review", "promises")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?。])\s+")
PromiseKind = Literal["no_log", "encrypted", "no_third_party"]
_KINDS: Final[tuple[PromiseKind, ...]] = ("no_log", "encrypted", "no_third_party")
_BROKEN_BY: Final[dict[str, frozenset[PromiseKind]]] = {
    "log": frozenset({"no_log", "encrypted"}),
    "file": frozenset({"encrypted"}),
    "http": frozenset({"no_third_party"}),
}
"""Sinks and what a value that arrives there in the clear breaks."""


class Promise(BaseModel):
    """A sentence of a notice that promises something of all personal data, or of some kinds."""

    model_config = ConfigDict(frozen=True)

    kind: PromiseKind
    clause: str
    quote: str
    source: str
    line: int
    entities: tuple[Entity, ...] = ()
    """The kinds that it names; none means all personal data."""

    @property
    def place(self) -> Reference:
        """Where it stands."""
        return Reference(source=self.source, line=self.line, quote=self.quote)

    def is_about(self, entity: Entity) -> bool:
        """True if it promises something of `entity`."""
        return not self.entities or entity in self.entities

    def __str__(self) -> str:
        return f"{self.clause} “{self.quote}” ({self.source}:{self.line})"


def promises_in(clauses: Sequence[Clause]) -> tuple[Promise, ...]:
    """Return the promises of a notice whose words leave nothing open."""
    open_articles = {
        (each.source, each.heading) for each in clauses if _says("exception", each.text)
    }
    return tuple(
        promise
        for clause in clauses
        if not clause.is_hidden and (clause.source, clause.heading) not in open_articles
        for promise in _promises(clause)
    )


def _promises(clause: Clause) -> Iterator[Promise]:
    for sentence in _SENTENCE_END.split(clause.text):
        kinds: list[PromiseKind] = [kind for kind in _KINDS if _says(kind, sentence)]
        if not kinds or _says("conditional", sentence):
            continue
        named = tuple(
            entity
            for entity in catalogue().personal_ids
            if clause.model_copy(update={"text": sentence}).names(entity)
        )
        if not named and not _says("all_data", sentence):
            continue  # it may speak of anything
        for kind in kinds:
            yield Promise(
                kind=kind,
                clause=clause.id,
                quote=sentence,
                source=clause.source,
                line=clause.line,
                entities=named,
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


def _says(key: str, text: str) -> bool:
    return _WORDS.pattern(key).search(text) is not None
