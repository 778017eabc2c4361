"""What a person writes as an answer, read by the type that the question declares.

A choice is taken by its value, its number or its place ("the second one", "3번"), numbers and dates
as people write them ("1,500", "30개", "14 July 2026"). Every value in the words is read. If one is
left without those that they reject or replace ("not the first", "2번 말고"), and no word leaves it
open, it is the answer. Else the words stay as they are: the question's schema refuses them and says
what it takes. Yes and no are closed lists of whole messages; what is in none of them, is neither.
"""

import re
import unicodedata
from calendar import day_name, month_abbr, month_name
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from functools import cache
from itertools import product
from math import prod
from typing import Any, Final, Literal, NamedTuple

from minerva_platform.people.answer_schema import (
    MAX_REFERENCES,
    as_mapping,
    follow_reference,
    kinds_of,
)
from minerva_platform.text.language import has_hangul
from minerva_platform.text.words import Words, read_words

WORDS: Final[Words] = read_words("minerva_platform.people", "typed_answers")
REPLIES: Final[Words] = read_words("minerva_platform.people", "replies")

MAX_CHARACTERS: Final = 200
"""Characters of an answer of a closed type. A longer one says more."""
MAX_REPLY_CHARACTERS: Final = 60
"""Characters of a message that may be a yes or a no. A longer one says more."""
MAX_YESES: Final = 4
"""Yeses that may stand in a row."""
MAX_WORDS: Final = 5
"""Words of one message of a list, when it is written apart."""


_WORD: Final = re.compile(r"[\w']+")
_PART: Final = re.compile(r"[^\s_-]+")
_APART: Final = r"(?<![A-Za-z_\d.-])(?<!\d[,:/~])"
_WEEK: Final = "월화수목금토일"
_END: Final = r"(?![A-Za-z_\d]|[.,:/~-]\d)"


class _Reading(NamedTuple):
    """A value that words of an answer say, and their position."""

    start: int
    end: int
    value: Any

    def is_within(self, others: "Iterable[_Reading]", *, longer: int = 1) -> bool:
        """True if its words are, in part, words of another that is so much longer."""
        meeting = (one for one in others if one.start < self.end and self.start < one.end)
        return any(one.end - one.start >= self.end - self.start + longer for one in meeting)


def typed_answer(answer: Any, schema: Any, *, today: date | None = None) -> Any:
    """Return the value of the type of `schema` that `answer` says; `answer` if it says none.

    A text stays as it is where any text is an answer. `today` is the day of the clock.
    """
    choices = choices_of(schema)
    is_number = isinstance(answer, int) and not isinstance(answer, bool)
    if answer in choices or not (isinstance(answer, str) or (is_number and choices)):
        return answer
    plain = unicodedata.normalize("NFKC", str(answer)).replace("’", "'").lower()
    text = " ".join(plain.split())
    if len(text) > MAX_CHARACTERS:
        return answer
    kinds = kinds_of(schema)
    values: list[Any] = []
    if choices:
        values = _remaining(text, _choices_in(text, choices))
    elif "string" in kinds or not kinds:
        day = today or datetime.now().astimezone().date()
        values = _remaining(text, _dates_in(text, day) if _is_date(schema) else ())
    elif not kinds & {"array", "object"}:
        numbers = _remaining(text, _number_of_words(text) if kinds & {"integer", "number"} else ())
        is_whole = "number" in kinds or not any(isinstance(each, float) for each in numbers)
        truths = _truths_in(text) if "boolean" in kinds else ()
        values = [*(numbers if is_whole else ()), *_remaining(text, truths, are_truths=True)]
    return values[0] if len(values) == 1 else answer


def choices_of(schema: Any) -> Sequence[Any]:
    """Return the values of which the answer is one; none if other values are answers, too."""
    return _choices(schema, schema, MAX_REFERENCES) or ()


def _choices(schema: Any, whole: Any, depth: int) -> list[Any] | None:
    """Return the values that a part of a schema lists; None if it takes any of a type."""
    part = follow_reference(schema, whole)
    values: list[Any] | None = [part["const"]] if "const" in part else part.get("enum")
    if isinstance(values, list):
        return values
    branches = [*part.get("anyOf", ()), *part.get("oneOf", ())]
    branches = [each for each in branches if as_mapping(each).get("type") != "null"]
    inner = [_choices(each, whole, depth - 1) for each in branches] if depth > 0 else []
    return None if not inner or None in inner else [value for each in inner for value in each or ()]


def _remaining(text: str, several: Iterable[_Reading], *, are_truths: bool = False) -> list[Any]:
    """Return the values that are neither rejected nor replaced; none if the words leave it open."""
    readings = list(several)
    readings = [each for each in readings if not each.is_within(readings)]
    refusals = [] if are_truths else [each.value for each in readings if _is_rejected(text, each)]
    standing = [each for each in readings if each.value not in refusals]
    keys = ("changed",) if are_truths else ("changed", "replaced")
    changes = (match.end() for key in keys for match in WORDS.pattern(key).finditer(text))
    last = max(changes, default=0)
    values = [each.value for each in standing if each.start >= last]
    for each in readings:
        text = f"{text[: each.start]}{'◆' * (each.end - each.start)}{text[each.end :]}"
    doubts = ["doubt", "partial" if are_truths else "unread"]
    doubts += ["opposite"] if are_truths and True in values else []
    if any(WORDS.says(key, text[last:]) for key in doubts):
        return []
    return [value for number, value in enumerate(values) if value not in values[:number]]


def _is_rejected(text: str, reading: _Reading) -> bool:
    """True if words before a value reject it ("not 2"), or words after it (2번 말고)."""
    clause = re.split(WORDS.patterns("rejects.end"), text[: reading.start])[-1]
    after = text[reading.end :]
    return bool(WORDS.says("rejects.before", clause) or WORDS.pattern("rejects.after").match(after))


def _choices_in(text: str, choices: Sequence[Any]) -> Iterator[_Reading]:
    """Yield the choices that words say whole; else by a word of theirs alone, or by their place."""
    parts = [_PART.findall(str(each).lower()) for each in choices]
    counts = Counter(part for each in parts for part in {*each})
    whole: list[_Reading] = []
    others: list[_Reading] = []
    for choice, words in zip(choices, parts, strict=True):
        whole += (_Reading(*match.span(), choice) for match in _names_in(words, text))
        alone = (part for part in {*words} if counts[part] == 1 and len(words) > 1)
        others += (_Reading(*at.span(), choice) for part in alone for at in _names_in([part], text))
    is_value = not all(isinstance(each, str) for each in choices)
    for start, end, place in _places_in(text):
        if place <= len(choices) and not (is_value and text[start:end].isdigit()):
            others.append(_Reading(start, end, choices[place - 1 if place > 0 else place]))
    return iter(whole + [each for each in others if not each.is_within(whole, longer=0)])


def _names_in(words: Sequence[str], text: str) -> Iterator[re.Match[str]]:
    """Return where `text` has words, however they are joined; a syllable with an ending at most."""
    is_syllable = len(words) == 1 and len(words[0]) == 1 and has_hangul(words[0])
    end = WORDS.patterns("endings") if is_syllable else ""
    name = r"[\s_-]*".join(map(re.escape, words))
    return re.finditer(rf"(?<!\w){name}(?![A-Za-z_\d]){end}", text)


def _places_in(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield where `text` counts to a place, from 1; -1 is the last."""
    before, end, units = map(WORDS.patterns, ("places.before", "places.end", "units"))
    number = rf"{_APART}(?:{before})?(?P<n>\d{{1,4}}){_END}(?: ?번째?|(?! ?(?:{units})))"
    for match in re.finditer(number, text):
        yield *match.span(), int(match["n"]) or MAX_CHARACTERS
    ordinals = (*zip(WORDS["places.en"], WORDS["places.ko"], strict=True),)
    for place, (english, korean) in enumerate(ordinals, start=1):
        form = rf"(?<!\w)(?:the (?:{english})\b|(?:{english})(?={end})|{korean})"
        for match in re.finditer(form, text):
            yield *match.span(), place if place < len(ordinals) else -1


def _numbers_in(text: str) -> Iterator[_Reading]:
    """Yield the numbers, in digits and in words ("ninety days", 세 개, 3만)."""
    scales = {forms[0]: int(number) for number, forms in WORDS.table("scales").items()}
    digits = rf"{_APART}((?:(?<!\S)[-+])?(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?){_END}"
    for match in re.finditer(rf"{digits}([{''.join(scales)}]*)", text):
        number = match[1].replace(",", "")
        value = float(number) if "." in number else int(number)
        yield _Reading(*match.span(), value * prod(scales[each] for each in match[2]))
    units, end = WORDS.patterns("units"), WORDS.patterns("endings")
    for table, after in (("numbers", r"(?!\w)"), ("counts", rf" ?(?:{units}){end}")):
        for number, forms in WORDS.table(table).items():
            for match in re.finditer(rf"(?<!\w)(?:{forms[0]}){after}", text):
                yield _Reading(*match.span(), int(number))


def _number_of_words(text: str) -> Iterator[_Reading]:
    """Yield the numbers, and the parts of one as one ("twenty-five", "two hundred", 1만 5천)."""
    parts = sorted(_numbers_in(text), reverse=True)
    while parts:
        whole = parts.pop()
        while parts and (value := _compound(text, whole, parts[-1])):
            whole = _Reading(whole.start, parts.pop().end, value)
        yield whole


def _compound(text: str, whole: _Reading, part: _Reading) -> Any:
    """Return the number that two parts make; None if they are two."""
    before, after = text[whole.start : whole.end], text[part.start : part.end]
    joint = f"{before}◆{text[whole.end : part.start]}◆{after}"
    if whole.value <= 0 or not WORDS.says("joins", joint):
        return None
    if after in WORDS["multiplies"]:
        return whole.value + whole.value % part.value * (part.value - 1)
    return None if whole.value % 10 ** len(str(part.value)) else whole.value + part.value


def _truths_in(text: str) -> Iterator[_Reading]:
    """Yield the clauses that say yes or no, whole or by how they begin."""
    clauses = WORDS.pattern("changed").sub(lambda match: "," * len(match[0]), text)
    for match in re.finditer(r"[^ ,.!;~…][^,.!;~…]*", clauses):
        words = words_of_reply(match[0]) or ("",)
        if answer := answer_in(match[0]):
            yield _Reading(*match.span(), answer == "yes")
        elif begins_as_answer(match[0]) and words[0] not in WORDS["openings"]:
            for each in {answer_in(word) for word in words if begins_as_answer(word)}:
                yield _Reading(match.start(), match.start() + len(words[0]), each == "yes")


def _is_date(schema: Any) -> bool:
    part = follow_reference(schema, schema)
    branches = (part, *map(as_mapping, part.get("anyOf", ())))
    return any(each.get("format") == "date" for each in branches)


def _dates_in(text: str, today: date) -> Iterator[_Reading]:
    """Yield the days, also those counted from `today`. One without a year is the nearest."""
    for form in WORDS.table("dates").values():
        for match in re.finditer(rf"{_APART}(?:{form[0]})(?!\d)", text):
            month = int(match["m"]) if match["m"].isdigit() else _MONTHS.get(match["m"], 0)
            days: list[date] = []
            for year in [match["y"]] if match["y"] else range(today.year - 1, today.year + 2):
                with suppress(ValueError):  # there is no such day
                    days.append(date(int(year), month, int(match["d"])))
            for day in sorted(days, key=lambda day: abs(day - today))[:1]:
                yield _Reading(*match.span(), day.isoformat())
    names = (f"{name.lower()}|{korean}요일" for name, korean in zip(day_name, _WEEK, strict=True))
    ahead = {name: (at - today.weekday() - 1) % 7 + 1 for at, name in enumerate(names)}
    ahead |= {f"다음 ?주 ?{day}요일": at - today.weekday() + 7 for at, day in enumerate(_WEEK)}
    last = today.weekday() + 1  # of the days of which "next" can mean but one
    ahead |= {f"next {day.lower()}": at - last + 8 for at, day in enumerate(day_name[:last])}
    ahead |= {forms[0]: int(count) for count, forms in WORDS.table("days").items()}
    for (length, forms), count in product(WORDS.table("spans").items(), _number_of_words(text)):
        after = re.compile(forms[0]).match(text, count.end)
        if after and count.value in range(1_000) and (after[0].isascii() or not count.start):
            then = today + timedelta(int(length) * count.value)
            yield _Reading(count.start, after.end(), then.isoformat())
    for name, count in ahead.items():
        for match in re.finditer(rf"(?<!\w)(?:{name})", text):
            yield _Reading(*match.span(), (today + timedelta(count)).isoformat())


_MONTHS: Final = {
    name.lower(): number
    for names in (month_name, month_abbr)
    for number, name in enumerate(names)
    if name
}


def answer_in(text: str) -> Literal["yes", "no"] | None:
    """Return what a whole message says; None if it is neither, or asks itself ("네?")."""
    if len(text) > MAX_REPLY_CHARACTERS or "?" in unicodedata.normalize("NFKC", text):
        return None
    words = words_of_reply(REPLIES.pattern("beside").sub(" ", text.casefold()))
    if not words or _rest(text):
        return None
    if _is_all_of(words, _messages("yes"), MAX_YESES):
        return "yes"
    no, by_deed = _messages("no"), _messages("no_by_deed")
    starts = (count for count in range(len(words)) if not count or "".join(words[:count]) in no)
    is_no = any("".join(words[count:]) in no | by_deed for count in starts)
    return "no" if is_no else None


def is_answer(text: str) -> bool:
    """True if a message is, or begins as, a yes or a no."""
    return answer_in(text) is not None or begins_as_answer(text)


def begins_as_answer(text: str) -> bool:
    """True if a message begins with a yes or a no and goes on ("yes, but only 5")."""
    return "".join(words_of_reply(text)[:1]) in _messages("begins")


def words_of_reply(text: str) -> tuple[str, ...]:
    """Return the words of a message, however it is written."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").casefold()
    return tuple(_WORD.findall(REPLIES.pattern("polite").sub("세요", plain)))


def _rest(text: str) -> str:
    """Return what is neither a word nor a mark, such as an emoji, which may mean anything."""
    marks = _WORD.sub("", unicodedata.normalize("NFKC", text))
    return "".join(mark for mark in marks if unicodedata.category(mark)[0] not in "PZC")


@cache
def _messages(table: str) -> frozenset[str]:
    return frozenset(
        "".join(words_of_reply(message))
        for words in REPLIES.table(table).values()
        for message in words
    )


def _is_all_of(words: Sequence[str], messages: Collection[str], parts: int) -> bool:
    """True if `words` are at most `parts` of `messages` in a row, however they are spaced."""
    if not words:
        return True
    return parts > 0 and any(
        "".join(words[:count]) in messages and _is_all_of(words[count:], messages, parts - 1)
        for count in range(1, min(len(words), MAX_WORDS) + 1)
    )
