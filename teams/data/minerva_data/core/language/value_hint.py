"""Take off a request what says how a value looks: units, formats and sample values.

`환자 키(cm)` asks for what `환자 키` asks for, `혈액형 A/B/O` for what `혈액형` does. What stands
in brackets and may be another name for the thing is kept apart.
"""

import re

from minerva_platform.text import read_words

WORDS = read_words("minerva_data.core.language", "value_hint")

_BRACKETED = re.compile(r"[(\[（]([^()\[\]（）\n]{1,60})[)\]）]")
_UNIT = re.compile(rf"(?:단위\s*[:은는]?\s*)?(?:{WORDS.patterns('in_brackets')})", re.IGNORECASE)
_SAMPLES = re.compile(  # A/B/O, 남/여: two to six short values
    r"(?<![\w/])(?:[A-Za-z0-9]{1,2}|[가-힣])(?:/(?:[A-Za-z0-9]{1,2}|[가-힣])){1,5}(?![\w/])"
)
_WITHOUT = re.compile(WORDS.patterns("without"), re.IGNORECASE)
_NAMING_SAMPLES = frozenset({"y/n", "t/f"})
"""Samples that say what the thing is: 흡연 Y/N asks for 흡연 여부."""


def without_value_hints(text: str) -> tuple[str, tuple[str, ...]]:
    """Return `text` without its hints, as long as before, and bracketed words that may be names."""
    names: list[str] = []

    def take(hit: re.Match[str]) -> str:
        inner = hit[1].strip()
        if not (_UNIT.fullmatch(inner) or _SAMPLES.fullmatch(inner)):
            names.append(inner)
        return " " * len(hit.group())

    text = _BRACKETED.sub(take, text)
    return _WITHOUT.sub(_blank, _SAMPLES.sub(_sample, text)), tuple(names)


def _sample(hit: re.Match[str]) -> str:
    return hit.group() if hit.group().casefold() in _NAMING_SAMPLES else _blank(hit)


def _blank(hit: re.Match[str]) -> str:
    return " " * len(hit.group())
