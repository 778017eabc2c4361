"""Put blanks in the place of what is no name, so that positions stay."""

import re
from functools import cache

from minerva_platform.text import read_words

WORDS = read_words("minerva_data.core.language", "value_hint")
FORM = read_words("minerva_data.core.language", "form_wishes")

_BRACKETED = re.compile(r"[(\[（]([^()\[\]（）\n]{1,60})[)\]）]")
_UNIT = re.compile(rf"(?:단위\s*[:은는]?\s*)?(?:{WORDS.patterns('in_brackets')})", re.IGNORECASE)
_SAMPLES = re.compile(  # A/B/O, 남/여: two to six short values
    r"(?<![\w/])(?:[A-Za-z0-9]{1,2}|[가-힣])(?:/(?:[A-Za-z0-9]{1,2}|[가-힣])){1,5}(?![\w/])"
)
_WITHOUT = re.compile(WORDS.patterns("without"), re.IGNORECASE)
_NAMING_SAMPLES = frozenset({"y/n", "t/f"})
"""Samples that say what the thing is: 흡연 Y/N asks for 흡연 여부."""
_BULLET = r"(?:[-*•·]|\d{1,2}[.)])\s+"
_LETTER = r"\(?(?:[a-h]|\d{1,2})\)\s+"
"""Of a list in one line: `(a) agent code (b) policy number`, `1) 주문번호 2) 결제 수단`."""
_LIST_MARK = re.compile(
    rf"\s*\n\s*(?:{_BULLET})?|\s*[;；|\t]\s*|\s+\+\s+|\s+{_LETTER}|^\s*(?:{_BULLET}|{_LETTER})"
)
_LINE = 42
"""Characters before a mark that are looked at."""
_SHORT_LINE = re.compile(r"(?:^|[\n.!?:,;；|+)])[^\n]{1,40}$")


def with_commas(text: str) -> str:
    """Return `text` with a comma for each other mark of a list: a bullet, a plus, a new line.

    A mark after which nothing was listed yet (`Names:` and a line) stands for a space.
    """

    def comma(hit: re.Match[str]) -> str:
        end = hit.start()
        is_within = end and text[end - 1] not in ".!?:,"
        return ", " if is_within and _SHORT_LINE.search(text, max(end - _LINE, 0), end) else " "

    return _LIST_MARK.sub(comma, text)


def blank(hit: re.Match[str]) -> str:
    """Return a gap as long as what was taken, so that positions stay."""
    return "|".center(len(hit.group()))


def without_form_wishes(text: str) -> str:
    """Return `text`, as long as before, without what says how the answer shall look."""
    for pattern in _form_patterns():
        text = pattern.sub(blank, text)
    return text


@cache
def _form_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    parts = {name: FORM.patterns(name) for name in FORM.lists}

    def whole(language: str) -> str:
        return re.sub(r"\{([a-z_]+)\}", lambda hit: parts[hit[1]], parts[language])

    return re.compile(whole("korean")), re.compile(whole("english"), re.IGNORECASE)


def without_value_hints(text: str) -> tuple[str, tuple[str, ...]]:
    """Return `text` without its hints, as long as before, and bracketed words that may be names.

    Hints say how a value looks: `환자 키(cm)` asks for what `환자 키` asks for.
    """
    names: list[str] = []

    def take(hit: re.Match[str]) -> str:
        inner = hit[1].strip()
        if not (_UNIT.fullmatch(inner) or _SAMPLES.fullmatch(inner)):
            names.append(inner)
        return " " * len(hit.group())

    text = _BRACKETED.sub(take, text)
    return _WITHOUT.sub(_spaces, _SAMPLES.sub(_sample, text)), tuple(names)


def _sample(hit: re.Match[str]) -> str:
    return hit.group() if hit.group().casefold() in _NAMING_SAMPLES else _spaces(hit)


def _spaces(hit: re.Match[str]) -> str:
    return " " * len(hit.group())
