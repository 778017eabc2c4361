"""Find personal data in text by the form and the exact check of each kind.

`cell` looks at whole cells, which may be written in more ways than a value in a text.

Scores: 1.0 means the check digit is right (or the form cannot be anything else), 0.5 that only
the form fits. A resident number issued since October 2020 has no check digit, so 0.5 is still
a finding in a column named after it.
"""

import re
from collections.abc import Generator, Sequence
from operator import itemgetter
from typing import NamedTuple

from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.detection.forms import EDGES, Detectors, Form, current_detectors
from minerva_governance.core.kinds.kind import Kind
from minerva_governance.core.values.phone import phone_region
from minerva_governance.core.values.value_check import CERTAIN, score
from minerva_governance.core.values.writing import normalised

_MIN_TOLD_CHARACTERS = 8
"""Of a text that holds a value and the word that tells what it is."""
_MANY = 2
MAY_HOLD = re.compile(r"[0-9@]|[^\x00-\x7f가-힣]")
"""Latin letters and Hangul alone hold nothing: most cells end here, before they are normalised."""
_LONG_NUMBER = re.compile(
    r"[0-9](?:[-.:/ )A-Za-z]{0,3}[0-9]){5}"
    r"|[0-9L-Vl-v]{2}[-./_ ]{0,2}[A-Za-z][-./_ ]{0,2}[0-9L-Vl-v]{3}[-./_ ]{0,3}[A-Za-z]\b"
    r"|:[0-9A-Fa-f]{0,4}:|-[0-9A-Fa-f]{2}-|[.][0-9A-Fa-f]{4}[.]"
)


class Match(NamedTuple):
    """Personal data at `start:end` of the text that `normalised` gives."""

    entity: Entity
    start: int
    end: int
    score: float
    region: str = ""
    """Of a phone number: the country whose plan it follows, ISO 3166-1."""


def find(text: str) -> list[Match]:
    """Return all personal data in `text`, ordered, not overlapping.

    Positions are those of `normalised(text)`.
    """
    detectors = current_detectors()
    if not detectors.has_own and not MAY_HOLD.search(text):
        return []
    return find_normalised(normalised(text), detectors)


def find_normalised(text: str, detectors: Detectors) -> list[Match]:
    """Return what `find` does, of a text that is normalised already."""
    matches = _emails(text, detectors) if "@" in text else []
    if not detectors.has_own and not _LONG_NUMBER.search(text):
        return matches
    matches = _strong(text, detectors, matches)
    # A value of one word stands beside none that could tell what it is.
    may_tell = " " in text or ":" in text or not text.isascii()
    if may_tell and len(text) > _MIN_TOLD_CHARACTERS:
        small = _in_small_letters(text)
        if detectors.contexts.search(small):
            _add_near_matches(text, small, detectors, matches)
    return matches if len(matches) < _MANY else sorted(matches, key=lambda match: match.start)


def _in_small_letters(text: str) -> str:
    """Return `text` of the same length in small letters: cheaper than to ignore case."""
    return text.lower() if text.isascii() else text.translate(_TURKISH_I).lower()


_TURKISH_I = {0x130: "i", 0x131: "i"}
"""Of all letters these alone change their number, or are no i."""


def _emails(text: str, detectors: Detectors) -> list[Match]:
    return [
        Match(kind.id, hit.start(), hit.end(), CERTAIN)
        for kind, pattern in detectors.email
        for hit in _addresses(text, pattern, detectors.email_behind[kind.id])
        if kind.id != "EMAIL" or _is_mailbox(text, hit.start(), hit.end())
    ]


def _addresses(
    text: str, first: re.Pattern[str], behind: re.Pattern[str]
) -> Generator[re.Match[str]]:
    """Yield the addresses; one may stand right behind another one: `a@b.org.c@d.org`."""
    hit = first.search(text)
    while hit is not None:
        yield hit
        end = hit.end()
        is_joined = text[end : end + 1] in {".", "%", "+"}
        hit = (behind.match(text, end + 1) if is_joined else None) or first.search(text, end)


_NO_HOST = re.compile(
    r"[0-9.]*[0-9]x\.[a-z]+"  # image@2x.png, for screens of twice the resolution
    r"|[0-9]+\.[0-9]+[.-].*"  # package@1.0.0-rc.beta
    r"|.*\.(?:png|jpe?g|gif|svg|webp|ico|bmp|tiff?|css|json|html?|xml|csv|txt|pdf|docx?|xlsx?"
    r"|local|localhost|localdomain|lan|service|socket|timer|target|git|exe|dll|jar|whl|tgz|gz)",
    re.IGNORECASE,
)
"""Files and names of one network: none of these is a domain of the internet's root."""
_PATH_BEHIND = re.compile(r":(?:~|[^\s:@,;]*/|[^\s:@,;/]+\.git\b)")
"""git@host:owner/repository, deploy@host:/path: an account of a machine."""
_ADDRESS_BEFORE = re.compile(r"://[^\s/@]*$")
"""https://account@host."""


def _is_mailbox(text: str, start: int, end: int) -> bool:
    host = text[text.rindex("@", start, end) + 1 : end]
    return not (
        text.endswith(("sip:", "sips:"), 0, start)  # a telephone's address
        or _NO_HOST.fullmatch(host)
        or (text.startswith(":", end) and _PATH_BEHIND.match(text, end))
        or (text.find("://", 0, start) >= 0 and _ADDRESS_BEFORE.search(text[:start]))
    )


def _strong(text: str, detectors: Detectors, emails: list[Match]) -> list[Match]:
    matches = list(emails)
    at = 0
    while hit := detectors.locator.search(text, at):
        first = int((hit.lastgroup or "k0")[1:])
        match = _match_at(text, hit, detectors.alone[first:])
        if match is None or (
            emails and any(match.start < m.end and m.start < match.end for m in emails)
        ):
            at = hit.start() + 1
        else:
            matches.append(match)
            at = match.end
    return matches


def _match_at(text: str, first: re.Match[str], forms: tuple[Form, ...]) -> Match | None:
    """Return the first of `forms` that its check accepts; `first` is where `forms[0]` fits."""
    start = first.start()
    for at, (kind, pattern) in enumerate(forms):
        hit = pattern.match(text, start) if at or kind.id in EDGES else first
        if hit is not None:
            value = hit.group()
            sure = score(kind, value, is_named=False)
            if sure is None and kind.id in _OPEN_ENDED and not value.isalnum():
                value, sure = _shorten(kind, value)
            if sure is not None:
                region = phone_region(value) if kind.id == "PHONE" else None
                return Match(kind.id, start, start + len(value), sure, region or "")
    return None


_OPEN_ENDED = frozenset({"CREDIT_CARD", "IBAN_CODE"})
"""Kinds of many lengths: what stands behind a value reads like a group of it."""
_MAX_CUT_GROUPS = 8


def _shorten(kind: Kind, value: str) -> tuple[str, float | None]:
    """Return the longest start of `value`, in whole groups, that is of the kind."""
    form = re.compile(kind.form)
    cuts = [at for at, sign in enumerate(value) if not sign.isalnum()]
    for at in cuts[: -_MAX_CUT_GROUPS - 1 : -1]:
        start = value[:at]
        sure = score(kind, start, is_named=False) if form.fullmatch(start) else None
        if sure is not None:
            return start, sure
    return value, None


def _add_near_matches(text: str, small: str, detectors: Detectors, matches: list[Match]) -> None:
    """Add the values near which a word tells what they are; `small` is in small letters."""
    near_matches: list[_NearMatch] = []
    for words, (kind, pattern) in detectors.in_context:
        spans = [hit.span() for hit in words.finditer(small)]
        if not spans:
            continue
        for hit in pattern.finditer(text):
            start, end = hit.span()
            distance = _distance(kind, (start, end), spans)
            if distance is None or any(start < m.end and m.start < end for m in matches):
                continue
            sure = score(kind, hit.group(), is_named=kind.id in WITHOUT_CHECK_DIGIT)
            if sure is not None:
                region = phone_region(hit.group()) if kind.id == "PHONE" else None
                near_matches.append(
                    _NearMatch(distance, Match(kind.id, start, end, sure, region or ""))
                )
    for _, match in sorted(near_matches, key=itemgetter(0)):
        if not any(match.start < m.end and m.start < match.end for m in matches):
            matches.append(match)


def _distance(kind: Kind, value: tuple[int, int], words: Sequence[tuple[int, int]]) -> int | None:
    """Return how many characters lie between a value and the nearest word, if within reach."""
    start, end = value
    near = [start - word_end for _, word_end in words if 0 <= start - word_end <= kind.reach]
    near += [at - end for at, _ in words if 0 <= at - end <= kind.reach // 2]
    return min(near, default=None)


class _NearMatch(NamedTuple):
    """A value that a word tells, so many characters away: of two kinds the nearer counts."""

    distance: int
    match: Match


WITHOUT_CHECK_DIGIT = frozenset({"PHONE", "US_SSN"})
"""Of them a word near by is as good as a column's name, and a check digit of others beats them."""
