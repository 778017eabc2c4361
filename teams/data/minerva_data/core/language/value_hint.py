"""Take off a request what says how a value looks: units, formats and sample values.

`환자 키(cm)` asks for what `환자 키` asks for, `혈액형 A/B/O` for what `혈액형` does. What stands
in brackets and may be another name for the thing is kept apart.
"""

import re

_BRACKETED = re.compile(r"[(\[（]([^()\[\]（）\n]{1,60})[)\]）]")
_UNIT = re.compile(
    r"(?:단위\s*[:은는]?\s*)?(?:kg|g|mg|ml|l|cm|mm|m|mmhg|bpm|%|℃|°c|°f|celsius|years?|days?|세|살|원|won|krw|usd"
    r"|일|회|개|명|건|분|초|시간|도|킬로|센티|in\s+\w+|yyyy\S*|yymm\S*|hh\S*|y/n|yes/no|t/f|true/false"
    r"|예/아니오|0/1|mg/dl|per\s+minute|minutes?|hours?|optional|필수|선택)",
    re.IGNORECASE,
)
_SAMPLES = re.compile(
    r"(?<![\w/])(?:[A-Za-z0-9]{1,2}|[가-힣])(?:/(?:[A-Za-z0-9]{1,2}|[가-힣])){1,5}(?![\w/])"
)
_WITHOUT = re.compile(
    r"[,(]?\s*\b(?:no|without|excluding|not\s+the)\s+(?:the\s+)?(?:time|date|name|number|code)\b\)?"
    r"|,?\s*(?:시간|시각|날짜)(?:은|는)?\s*(?:빼고|제외하고|제외|없이|말고)",
    re.IGNORECASE,
)


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
    return hit.group() if hit.group().casefold() in {"y/n", "t/f"} else _blank(hit)


def _blank(hit: re.Match[str]) -> str:
    return " " * len(hit.group())
