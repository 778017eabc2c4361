"""Messages that plainly ask for something, by their verbs and endings.

While a question to a person is open, such a message may be a request of its own. Routing needs no
verbs: scores tell there what asks for work.
"""

import re
from collections.abc import Iterable

from minerva_platform.routing.clauses.content_words import names_subject
from minerva_platform.text.grammar import (
    ENGLISH,
    commands_en,
    could_be_verb_en,
    leading_en,
    opens_clause_en,
    wishes_ko,
)
from minerva_platform.text.question_or_command import sounds_like

MAX_WISH_CHARACTERS = 300
"""Characters of a message that is a wish. A longer one is pasted text."""

_WORD = re.compile(r"[\w']+")
_SYLLABLE = re.compile("[가-힣]")


def asks_for_work(message: str) -> bool:
    """True if `message` is clearly a wish or a question, and says about what."""
    if len(message) > MAX_WISH_CHARACTERS or not names_subject(message):
        return False
    words = _WORD.findall(message.lower())
    if words and _SYLLABLE.search(words[-1]):  # not the letters of a laugh: "book a flight ㅋㅋ"
        return message.rstrip().endswith(("?", "？")) or wishes_ko(words)
    start = leading_en(words)
    if _tells(words[:start]) or _is_about_neighbour(words[start:]):
        return False
    has_verb = opens_clause_en(words) or commands_en(words) or _follows_a_plea(words)
    return has_verb or not ENGLISH.set_of("wishing").isdisjoint(words[:start])


def commands(text: str, examples: Iterable[str]) -> bool:
    """True if `text` is a command by its form, or sounds like one of the `examples`."""
    return asks_for_work(text) or sounds_like(text, examples)


def _tells(opening: list[str]) -> bool:
    """True if an English message is about what a person did or has to do: `i need to …`."""
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
