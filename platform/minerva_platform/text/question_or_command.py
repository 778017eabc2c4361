"""Whether words ask to know something or tell something, and so command nothing.

Lists and endings, not a parser. What no list knows is taken for a command, and whoever carries out
commands asks a person where it would do harm.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from minerva_platform.text.grammar import commands_en, could_be_verb_en, leading_en, opens_clause_en
from minerva_platform.text.language import has_hangul
from minerva_platform.text.words import read_words

WORDS = read_words("minerva_platform.text", "asking")

MAX_ASKING_CHARACTERS: Final = 300
"""Characters of words that may ask. Longer ones are pasted text."""
_SENTENCE: Final = re.compile(r"[^.,;!?…~\n]*[.,;!?…~\n]*")
_WORD: Final = re.compile(r"[\w']+")
_STEM: Final = 2
"""Syllables that tell a Korean verb."""
_SS: Final = 20
"""The number of the final consonant ㅆ in a Hangul syllable's code."""


def asks_to_know(text: str, *, by_mark: bool = True) -> bool:
    """True if a sentence of `text` asks or tells something, and none commands anything.

    `by_mark` says that a question mark alone makes a question; else `Lee?` is none.
    """
    if len(text) > MAX_ASKING_CHARACTERS:
        return False
    sentences = [part for part in _SENTENCE.findall(text.replace("’", "'")) if _WORD.search(part)]
    asking = [_asks(part) or (by_mark and _is_marked(part)) for part in sentences]
    others = [part for part, asks in zip(sentences, asking, strict=True) if not asks]
    return any(asking) and not any(map(_commands, others))


def sounds_like(text: str, examples: Iterable[str]) -> bool:
    """True if `text` opens with the verb of one of the `examples`, or ends with it (보내).

    The examples of members are commands, so what sounds like them is one. A Korean verb may have
    another ending (결제, 결제해줘), and a Korean wish that asks for no answer is a command, too.
    """
    if has_hangul(text) and _ends(text, "wants") and not _ends(text, "telling"):
        return True
    verbs = {_verb(each) for each in examples} - {""}
    return any(_verb(part) in verbs for part in _SENTENCE.findall(text) if _WORD.search(part))


def _verb(sentence: str) -> str:
    """Return the first word of an English sentence, and how the last one of a Korean one begins."""
    if has_hangul(sentence):
        return "".join(_WORD.findall(sentence)[-1:])[:_STEM]
    words = _words_en(sentence)
    start = leading_en(words)
    return words[start] if start < len(words) and could_be_verb_en(words[start]) else ""


def _commands(sentence: str) -> bool:
    if has_hangul(sentence):
        return _ends(sentence, "wants")
    words = _words_en(sentence)
    return commands_en(words) or opens_clause_en(words)


def _words_en(sentence: str) -> list[str]:
    """Return the words in lower case, without those before the sentence itself."""
    words = _WORD.findall(sentence.casefold())
    fillers = WORDS.set_of("en.fillers")
    start = next((at for at, word in enumerate(words) if word not in fillers), len(words))
    return words[start:]


def _asks(sentence: str) -> bool:
    return _asks_ko(sentence) if has_hangul(sentence) else _asks_en(sentence)


def _asks_en(sentence: str) -> bool:
    words = _words_en(sentence)
    first, second = (*words, "", "")[:2]
    third = words[2] if len(words) > 2 else ""  # noqa: PLR2004  # the third
    pronouns = WORDS.set_of("en.pronouns")
    telling = WORDS.set_of("en.telling", "en.past")
    if first in WORDS.set_of("en.questions"):
        return second not in WORDS.set_of("en.another")
    if first in WORDS.set_of("en.auxiliary"):
        return bool(second) and (second in pronouns or first not in WORDS.set_of("en.command_too"))
    if first in WORDS.set_of("en.modal") and second in pronouns:
        is_wish = second in {"i", "u", "we", "you"}
        return not is_wish or third in WORDS.set_of("en.telling")
    if first in telling or (first, second) in {("let", "me"), ("let", "us")}:
        return True
    is_question = sentence.rstrip().endswith("?")
    return is_question and not WORDS.set_of("en.asked").isdisjoint(words)


def _asks_ko(sentence: str) -> bool:
    if _ends(sentence, "telling"):
        return True
    if _ends(sentence, "wants"):
        return False
    return bool(_any("questions").search(sentence)) or _ends(sentence, "ends") or _is_past(sentence)


def _is_marked(sentence: str) -> bool:
    """True if `sentence` ends as a question, and neither asks for work nor names another thing."""
    if not sentence.rstrip(" .!~…").endswith("?"):
        return False
    if has_hangul(sentence):
        return not (_ends(sentence, "wants") or _ends(sentence, "another"))
    words = _words_en(sentence)
    is_wish = words[:1] and words[0] in WORDS.set_of("en.modal")
    is_about_another = len(words) > 1 and words[1] in WORDS.set_of("en.another")
    return not (is_wish or is_about_another or commands_en(words))


def _is_past(sentence: str) -> bool:
    """True if the last word has a syllable of the past (됐어, 보냈는지도요)."""
    last = (_WORD.findall(sentence) or [""])[-1]
    wrong = WORDS["ko.past"]
    return any(each in last for each in wrong) or any(
        "가" <= each <= "힣" and (ord(each) - ord("가")) % 28 == _SS and each not in "있겠"
        for each in last
    )


def _ends(sentence: str, key: str) -> bool:
    return _end(key).search(sentence) is not None


@cache
def _end(key: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{WORDS.patterns(f'ko.{key}')})\W*$")


@cache
def _any(key: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![가-힣])(?:{WORDS.patterns(f'ko.{key}')})")
