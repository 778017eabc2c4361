"""The clauses of a request that ask for work of their own.

Only such a clause can be unserved. The others describe the form of the answer or when it is needed,
thank, or give background. The member that serves their neighbour reads them. Words of form are
those of `examples/answer_form.txt`.
"""

import re
from collections.abc import Iterable
from functools import cache

from minerva_platform.routing.clauses.content_words import names_subject, subject_stems
from minerva_platform.text.example_file import read_examples
from minerva_platform.text.grammar import (
    ENGLISH,
    KOREAN,
    commands_en,
    could_be_verb_en,
    leading_en,
    opens_clause_en,
    states_ko,
    wishes_ko,
)

MAX_CLAUSE_CHARACTERS = 300
"""Characters of a clause that asks for work. A longer clause is pasted text."""

_MIN_WORDS = 2
"""Words of the shortest English wish: `pay them`."""

_WORD = re.compile(r"[\w']+")
_SYLLABLE = re.compile("[가-힣]")
_PARTICLE = re.compile(r"(?<=^[가-힣])[은는이가을를도로에의만]$")
_MARKS = " \t\n.,，;:!。！…·-+&*"
_NUMBERING = re.compile(r"^\s*(?:\(?\d{1,2}[.)]|[-*+•])\s+")


def asks_for_work(clause: str, details: frozenset[str] = frozenset()) -> bool:
    """True if `clause` asks for something of its own.

    The form of an answer does not count, nor do `details` of an earlier clause.
    """
    if len(clause) > MAX_CLAUSE_CHARACTERS or not names_subject(clause):
        return False
    return _asks(clause) and not _stems(clause) <= _stems_of_form() | details


def may_be_work(clause: str, details: frozenset[str] = frozenset()) -> bool:
    """True if `clause` could ask for something of its own: it is no statement, form or detail."""
    if len(clause) > MAX_CLAUSE_CHARACTERS or not names_subject(clause):
        return False
    words = _WORD.findall(words_of_clause(clause).lower())
    if _states(clause, words):
        return False
    return not _stems(clause) <= _stems_of_form() | details


def detail_stems(aspects: Iterable[str]) -> frozenset[str]:
    """Return the stems of the members' `aspects` (길이)."""
    return frozenset(stem for aspect in aspects for stem in _stems(aspect))


def words_of_clause(clause: str) -> str:
    """Return the words of `clause` without those that join it to its neighbours."""
    text = _NUMBERING.sub("", clause).strip(_MARKS)
    joining = ENGLISH.set_of("joining") | KOREAN.set_of("joining")
    while (joint := re.match(r"[^\s,，]+", text)) and joint.group().lower() in joining:
        text = text[joint.end() :].lstrip(_MARKS)
    return " ".join(text.split())


def _asks(clause: str) -> bool:
    """True if `clause` is clearly a wish or a question."""
    words = _WORD.findall(_NUMBERING.sub("", clause).lower())
    if words and _SYLLABLE.search(words[-1]):  # not the letters of a laugh: "book a flight ㅋㅋ"
        return clause.rstrip().endswith(("?", "？")) or wishes_ko(words)
    start = leading_en(words)
    if _tells(words[:start]) or _is_about_neighbour(words[start:]):
        return False
    has_verb = opens_clause_en(words) or commands_en(words) or _follows_a_plea(words)
    return has_verb or not ENGLISH.set_of("wishing").isdisjoint(words[:start])


def _states(clause: str, words: list[str]) -> bool:
    """True if `clause` tells something, rather than wishes or asks for it.

    English statements begin with a word of a closed class or a plural; only `closed_class` is a
    list.
    """
    if _SYLLABLE.search(words[-1]):
        return not clause.rstrip().endswith(("?", "？")) and states_ko(words)
    start = leading_en(words)
    opening, rest = words[:start], words[start:]
    if len(rest) < _MIN_WORDS or _tells(opening) or _is_about_neighbour(rest):
        return True
    if opening and not ENGLISH.set_of("wishing").isdisjoint(opening):
        return False
    return rest[0] not in ENGLISH.set_of("questions") and not could_be_verb_en(rest[0])


def _tells(opening: list[str]) -> bool:
    """True if an English clause is about what a person did or has to do: `i need to …`."""
    around = set(opening)
    wishes = around & ENGLISH.set_of("wishing") and "to" not in around
    tells = around & ENGLISH.set_of("tellers")
    return bool(tells) and not (wishes or around & ENGLISH.set_of("asking"))


def _is_about_neighbour(words: list[str]) -> bool:
    """True if English `words` ask about the thing just named: `when they expire`."""
    if len(words) == 1 or words[0] not in ENGLISH.set_of("questions"):
        return False
    subjects = ENGLISH.set_of("pointing", "tellers")
    return words[1] in subjects and words[0] not in ENGLISH.set_of("auxiliary")


def _follows_a_plea(words: list[str]) -> bool:
    """True if the first word of content comes after `please`, `also` or `can you`."""
    leading = leading_en(words)
    return 0 < leading < len(words) and could_be_verb_en(words[leading])


@cache
def _stems_of_form() -> frozenset[str]:
    lines = read_examples("minerva_platform.routing", "answer_form")
    return frozenset(stem for line in lines for stem in _stems(line))


def _stems(text: str) -> set[str]:
    """Return the stems of the things that `text` names. A noun of one syllable has no particle."""
    return {_PARTICLE.sub("", stem) for stem in subject_stems(text)}
