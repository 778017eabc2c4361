"""Which personal data a column's name and comment promise.

A name is a promise, not a proof: without values it makes a column *suspected* only. The words lie
in `words/column_name.toml`.
"""

import re
from functools import cache
from typing import Final, cast

from minerva_governance.core.detection.entity import Entity
from minerva_platform.text import read_words

_WORDS = read_words("minerva_governance.core.detection", "column_name")
_WORD: Final = re.compile(
    r"""
      [A-Z]+(?![a-z])        # PT_HP_NO, the ID of patientID
    | [A-Z]?[a-z]+           # patient, Name
    | [0-9]+
    | [^\W_a-zA-Z0-9]+       # 환자명
    """,
    re.VERBOSE,
)


def promised_entity(name: str, comment: str = "") -> Entity | None:
    """Return what a column called `name` (with `comment`) says it holds, or None.

    The comment is asked first: it is written for people.
    """
    comment = comment.strip()
    if comment:
        if _WORDS.pattern("not_the_thing.comment").search(comment):
            return None
        for entity, pattern in _comments():
            if pattern.search(comment):
                # 전화변경일자 is a day, no number; 생년월일 is one itself.
                is_day = _WORDS.pattern("not_the_thing.date_comment").search(comment)
                return None if is_day and entity != "BIRTH_DATE" else entity
    return _entity_of_name(name)


def _entity_of_name(name: str) -> Entity | None:
    words = [word.upper() for word in _WORD.findall(name)]
    if not words or words[-1] in _WORDS["not_the_thing.flag"]:
        return None
    if any("가" <= word[0] <= "힣" for word in words):  # a Korean column name
        return promised_entity("", name.replace("_", ""))
    is_machine = not set(words).isdisjoint(_WORDS["not_the_thing.machine"])
    for entity, spellings in _names():
        if entity == "ADDRESS" and is_machine:
            continue
        if not spellings.isdisjoint(_runs(words)):
            is_day = words[-1] in _WORDS["not_the_thing.date"]
            return None if is_day and entity != "BIRTH_DATE" else entity
    return None


def _runs(words: list[str]) -> list[str]:
    """Return all runs of neighbouring words, glued: PT_HP_NO gives PTHPNO, HPNO, HP, …."""
    size = len(words)
    return [
        "".join(words[start:end]) for start in range(size) for end in range(start + 1, size + 1)
    ]


@cache
def _comments() -> tuple[tuple[Entity, re.Pattern[str]], ...]:
    return tuple(
        (cast("Entity", entity), _WORDS.pattern(f"comments.{entity}"))
        for entity in _WORDS.table("comments")
    )


@cache
def _names() -> tuple[tuple[Entity, frozenset[str]], ...]:
    return tuple(
        (cast("Entity", entity), frozenset(spellings))
        for entity, spellings in _WORDS.table("names").items()
    )
