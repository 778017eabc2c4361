"""Say Korean clauses in nouns, which a glossary has: `왜 입원했는지` is 입원 사유.

A clause is only turned where the glossary knows its noun, so that `뭔지 알려줘` stays a question.
The words are in `words/korean.toml`.
"""

import re
from collections.abc import Callable

from minerva_data.core.language.rewording import rewording
from minerva_platform.text import read_words

WORDS = read_words("minerva_data.core.language", "korean")

Knows = Callable[[str], bool]
"""Whether the glossary explains all of a text."""

_PERSON = "자"
_NOUNS = {asked: said for asked, (said,) in WORDS.table("nouns").items()}

_plain = rewording(WORDS.table("polite").values())
_counted = rewording(WORDS.table("counted").values())
_named = rewording(WORDS.table("asked").values())
_without_idioms = rewording(WORDS.table("idioms").values())

_HONORED = re.compile(
    r"""
    ([가-힣]{2,}?)
    (?:분들|분|님)                                  # 환자분, 담당자님
    (?=(?:께서|한테|에게|[의은는이가을를께])?(?:[\s,.?!]|$))
    """,
    re.VERBOSE,
)
_WHETHER = re.compile(
    rf"""
    (?P<noun>[가-힣A-Za-z0-9][가-힣A-Za-z0-9 ]{{0,24}}?)
    (?:을|를|이|가|은|는)?\s*
    (?:{WORDS.patterns("clause_endings")})          # 입원했는지
    (?:\s*(?:{WORDS.patterns("negations")}))?       # … 안 했는지
    (?:\s*(?:의\s*)?(?:여부|유무))?
    (?=$|[\s,.?!()])
    (?!\s*(?:알|궁금|모르|확인|찾|봐|보))           # 뭔지 알려줘 is a question
    """,
    re.VERBOSE,
)
_ASKING = re.compile(rf"(?P<asks>{WORDS.patterns('question_words')})\s+$")
_AMOUNT = re.compile(rf".*(?:{WORDS.patterns('amounts')})")


def reworded(text: str, *, knows: Knows) -> str:
    """Return `text` with its clauses said in nouns, honorifics and counting words plain."""
    text = _HONORED.sub(lambda hit: _without_honorific(hit, knows), _plain(text))
    return _without_idioms(_clauses(_named(_counted(text)), knows))


def _without_honorific(hit: re.Match[str], knows: Knows) -> str:
    """Return 환자 for `환자분`, but 구분 as it is."""
    whole, stem = hit.group(), hit.group(1)
    return stem if knows(stem) and not knows(whole) else whole


def _clauses(text: str, knows: Knows) -> str:
    """Turn each clause whose noun is known."""
    done: list[str] = []
    rest = text
    while hit := _WHETHER.search(rest):
        done.append(_clause(hit, knows) or rest[: hit.end()])
        rest = rest[hit.end() :]
    return "".join((*done, rest))


def _clause(hit: re.Match[str], knows: Knows) -> str:
    """Return a clause and what stands before it, said in nouns; "" if its noun is not known."""
    words = hit["noun"].split(" ")
    start = _noun_start(words, knows)
    if start < 0 and len(words[-1]) > 1 and words[-1].endswith(_PERSON) and knows(words[-1][:-1]):
        words[-1], start = words[-1][:-1], len(words) - 1
    if start < 0:
        return ""
    noun = " ".join(words[start:])
    before = hit.string[: hit.start()] + "".join(f"{word} " for word in words[:start])
    asks = _ASKING.search(before)
    if asks is None:
        return f"{before}{noun}" if _AMOUNT.fullmatch(noun) else f"{before}{noun} 여부"
    said = _NOUNS.get("".join(asks["asks"].split()))
    return f"{before[: asks.start()]}{said.format(noun=noun)}" if said else ""


def _noun_start(words: list[str], knows: Knows) -> int:
    """Return where the longest known end of `words` begins, after any question; -1 if none is."""
    asked = [place for place, word in enumerate(words) if _ASKING.fullmatch(f"{word} ")]
    first = asked[-1] + 1 if asked else 0
    known = (place for place in range(first, len(words)) if knows(" ".join(words[place:])))
    return next(known, -1)
