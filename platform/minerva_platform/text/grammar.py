"""The few words of Korean and English that end a clause or open one.

Lists, not a parser. Where a request is cut does not depend on them: scores decide that.
"""

import re
from functools import cache

from minerva_platform.text.language import has_hangul
from minerva_platform.text.words import read_words

ENGLISH = read_words("minerva_platform.text", "english")
KOREAN = read_words("minerva_platform.text", "korean")

_WORD = re.compile(r"\w+")
_PLURAL = re.compile(r"(?<![su])s$")
_MAX_NAME_WORDS = 3
_VERBAL = re.compile("[서면며고지요까]$")
_NO_NOUN = re.compile("[가-힣](?:[는은을를서면며고지에]|으?로|한|된)$")
"""An end that hardly any noun within a name has."""
_B, _SS = 17, 20
"""Numbers of the final consonants ㅂ and ㅆ in a Hangul syllable's code."""


@cache
def empty_words() -> frozenset[str]:
    """Return the words that ask for nothing by themselves, the empty one among them."""
    english = ENGLISH.set_of("joining", "polite", "verbs", "empty")
    return english | KOREAN.set_of("joining", "empty") | {""}


def ends_sentence_ko(word: str) -> bool:
    """True if a Korean sentence is over with `word` (알려줘)."""
    return _ending("asking").search(word) is not None


def ends_statement_ko(word: str) -> bool:
    """True if a Korean sentence that asks for nothing may end with `word` (같아요)."""
    return _ending("predicate").search(word) is not None


def opens_clause_en(words: list[str]) -> bool:
    """True if `words` (lower case) begin an English request or question."""
    around = ENGLISH.set_of("joining", "polite")
    rest = [word for word in words if word not in around]
    if not rest:
        return False
    first, second = rest[0], rest[1] if len(rest) > 1 else ""
    if first in ENGLISH.set_of("verbs", "questions"):
        return True
    return first in ENGLISH.set_of("verbs_or_nouns") and second in ENGLISH.set_of("after_verb")


def commands_en(words: list[str]) -> bool:
    """True if `words` (lower case) begin with a verb that no list knows: `pay them`.

    A word of an open class is a verb if an object follows. A plural is always a noun.
    """
    start = leading_en(words)
    return (
        len(words) > start + 1
        and could_be_verb_en(words[start])
        and words[start + 1] in ENGLISH.set_of("opens_object")
    )


def leading_en(words: list[str]) -> int:
    """Return how many English `words` (lower case) come before the first word of content."""
    around = ENGLISH.set_of("joining", "polite")
    return next((at for at, word in enumerate(words) if word not in around), len(words))


def could_be_verb_en(word: str) -> bool:
    """True if `word` (lower case) may be an English verb in a wish: no plural, no `with`."""
    is_word = word.isascii() and word.isalpha()
    return is_word and word not in ENGLISH.set_of("closed_class") and not _PLURAL.search(word)


def wishes_ko(words: list[str]) -> bool:
    """True if Korean `words` end as a wish or a question, or as one of several (찾아주고)."""
    last, ending = words[-1], " ".join(words[-2:])
    if _ending("background").search(ending) or _is_because_ko(last):
        return False
    if last in KOREAN.set_of("after") or _plea().search(ending):
        return True
    if last.endswith(KOREAN["verbal_nouns"]):
        return True
    if _no_verb().search(last) is not None:
        return False
    if _ending("and_do").search(last):  # what was the case (전화가 왔고) is no wish
        return not _ends_in(last[:-1], _SS)
    return any(_ending(name).search(last) for name in ("asking", "whether_too"))


def is_whether_ko(word: str) -> bool:
    """True if `word` is a verb that opens an indirect question (맞는지)."""
    return _ending("whether").search(word) is not None


def is_mere_name(text: str) -> bool:
    """True if `text` may name a thing and asks for nothing; how it shall look may be said after."""
    words = text.lower().split()
    if not words or len(words) > _MAX_NAME_WORDS or text.endswith(("?", "？")):
        return False
    if has_hangul(text):
        ends = any(_NO_NOUN.search(word) for word in words[:-1]) or words[-1].endswith("도")
        return not (ends or wishes_ko(words) or _VERBAL.search(words[-1]))
    if words[0] in ENGLISH.set_of("verbs", "verbs_or_nouns", "questions") or commands_en(words):
        return False
    small_words = ENGLISH.set_of("closed_class") - ENGLISH.set_of("within_names")
    end = next((at for at, word in enumerate(words) if word in small_words), len(words))
    return end > 0 and (end == len(words) or is_about_form(" ".join(words[end:])))


def is_about_form(text: str) -> bool:
    """True if `text` only says how an answer shall look (그 결과를 표로 정리해줘)."""
    words = _WORD.findall(text.lower())
    english, joining = ENGLISH.set_of("form"), KOREAN.set_of("joining")
    return bool(words) and all(
        word in english or word in joining or _form_ko().fullmatch(word) for word in words
    )


@cache
def _ending(name: str) -> re.Pattern[str]:
    """Return the pattern of the Korean endings `name`, to be searched."""
    return re.compile(f"(?:{KOREAN.patterns(f'endings.{name}')})$")


@cache
def _plea() -> re.Pattern[str]:
    return re.compile(KOREAN.patterns("plea"))


@cache
def _no_verb() -> re.Pattern[str]:
    """Return what finds nouns in -고 (보고), quotations (-다고) and post-positions (-에 대해서)."""
    nouns, postpositions = KOREAN.any_of("nouns_in_go"), KOREAN.any_of("postpositions_in_seo")
    return re.compile(f"(?:^(?:{nouns})|[라다냐자])고(?:서)?$|(?:{postpositions})서$")


@cache
def _form_ko() -> re.Pattern[str]:
    things, particles = KOREAN.any_of("form.things"), KOREAN.any_of("form.particles")
    verbs, adverbs = KOREAN.patterns("form.verbs"), KOREAN.any_of("form.adverbs")
    return re.compile(f"(?:{things})(?:{particles})?|{verbs}|{adverbs}")


def _is_because_ko(word: str) -> bool:
    """True if `word` gives a reason (급하니까), unlike the formal question (됩니까)."""
    stem, reason, _ = word.removesuffix("요").rpartition("니까")
    return bool(reason) and not (stem and _ends_in(stem, _B))


def _ends_in(word: str, consonant: int) -> bool:
    return "가" <= word[-1] <= "힣" and (ord(word[-1]) - ord("가")) % 28 == consonant
