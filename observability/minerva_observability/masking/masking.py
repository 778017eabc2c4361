"""Mask secrets in records and logs, and bound the size of records. No other module masks text.

A run's scope masks each span and record before a recorder sees it, so no sink can forget to. The
log pipeline calls the same functions.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from minerva_observability.masking.hidden_values import MASK, HiddenValues, Hit
from minerva_observability.masking.secret_forms import is_harmless, secret_intervals
from minerva_observability.records.plain_data import is_mapping, is_several, writable

if TYPE_CHECKING:
    from minerva_observability.records.record import ErrorRow, Record

MAX_TEXT_CHARACTERS: Final = 8_000
"""Characters of an error message that are kept; the rest is counted and not shown."""
MAX_PATH_CHARACTERS: Final = 2_000
"""Characters of a hop path, a reason or a place in the code that are kept."""
MAX_NAME_CHARACTERS: Final = 200
"""Characters of any other name that are kept; a row holds a dozen names."""
MAX_DECISION_VALUES: Final = 2_000
"""Values of a decision that are kept; a long text counts as several values."""
_CHARACTERS_OF_A_VALUE: Final = 32
DEEPEST: Final = 8
"""Levels of nesting of a decision that are kept."""
_TOO_MUCH: Final = "…"
_MAX_COUNT: Final = 2**63
"""A larger integer is not a count, and no column of a table can hold it."""

_LIMITS: Final = {
    **dict.fromkeys(("path", "because_of", "reason"), MAX_PATH_CHARACTERS),
    **dict.fromkeys(
        (
            *("team", "agent_name", "node", "router", "arm", "model", "action", "role"),
            *("substitute", "request_sha256", "interrupt_id", "background", "thread_id", "host"),
        ),
        MAX_NAME_CHARACTERS,
    ),
}
_COUNTS: Final = (
    *("attempt", "resume_no", "prompt_tokens", "completion_tokens", "cost", "waited_ms", "pid"),
)
_PLAIN_DATA: Final = ("decision", "versions")
_SMALL: Final = (*_LIMITS, *_COUNTS)
_small_values_of = attrgetter(*_SMALL)


class Masking:
    """Masks secrets by their form, and secrets of the environment by their value.

    Each run has a masking of its own, so it knows a key that was set after the last run.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        """Read the secrets of `environment` (default: the process's, which may change)."""
        self._may_change = environment is None
        self._values = environment_values(os.environ if environment is None else environment)
        self._clean: set[Any] = {None}
        """Names and counts in which nothing was found; emptied when more values are hidden."""
        self._clean_for = (self._values, 0)

    def refresh(self) -> None:
        """Read the secrets of the process's environment again."""
        if self._may_change:
            self._values = environment_values(os.environ)

    def mask_text(
        self, text: str, secrets: HiddenValues | None = None, *, longest: int = MAX_TEXT_CHARACTERS
    ) -> str:
        """Return `text` without secrets, cut to `longest` characters and writable as UTF-8.

        All secrets are found in the original text before one is replaced. A key is therefore
        masked whole even if a hidden value stands in the middle of it.
        """
        return self._mask(text, secrets, longest=longest, is_name=False)

    def mask_name(
        self, name: Any, secrets: HiddenValues | None = None, *, longest: int = MAX_NAME_CHARACTERS
    ) -> str:
        """Return `name` without secrets, cut to `longest` characters.

        Hidden values of lower-case letters stay, because teams have such names. A `name` that is
        not a text is turned into one.
        """
        text = name if isinstance(name, str) else _to_text(name)
        return self._mask(text, secrets, longest=longest, is_name=True)

    def _mask(self, text: str, secrets: HiddenValues | None, *, longest: int, is_name: bool) -> str:
        searched = text[:MAX_SEARCHED_CHARACTERS]
        found = [] if secrets is None else list(secrets.find(searched, is_name=is_name))
        found += self._values.find(searched)
        if len(text) > MAX_PATH_CHARACTERS or not is_harmless(text):
            found += (Hit(start, end, MASK) for start, end in secret_intervals(searched))
        return writable(marked(text, found, longest))

    def mask_value(self, value: Any, secrets: HiddenValues | None = None) -> Any:
        """Return a copy of plain data with every text masked and bounded in size.

        A key `request` with a text becomes `request_sha256` with the digest of the text.
        """
        return _Copy(self, secrets).of(value)

    def mask_error(self, error: "ErrorRow", secrets: HiddenValues | None = None) -> "ErrorRow":
        """Return a masked copy of `error`; the name of its class is masked as well."""
        self.refresh()
        masked = error.copy()
        masked["type"] = self.mask_name(error["type"], secrets)
        masked["message"] = self.mask_text(error["message"], secrets)
        if "where" in error:
            masked["where"] = self.mask_name(error["where"], secrets, longest=MAX_PATH_CHARACTERS)
        return masked

    def mask_fields(self, fields: dict[str, Any], secrets: HiddenValues | None = None) -> None:
        """Mask the fields of an open span in place, because a live view may show them."""
        if _has_all(self._known_clean(secrets), fields.values()):
            return
        for name, value in fields.items():
            if name == "error":
                fields[name] = self.mask_error(value, secrets)
            elif name in _PLAIN_DATA:
                fields[name] = self.mask_value(value, secrets)
            else:
                fields[name] = self._mask_small(name, value, secrets)

    def mask_record(self, record: "Record", secrets: HiddenValues | None = None) -> "Record":
        """Return `record` masked and bounded; the same object if nothing had to change."""
        changed: dict[str, Any] = {}
        values = _small_values_of(record)
        if not _has_all(self._known_clean(secrets), values):
            for name, value in zip(_SMALL, values, strict=True):
                masked = self._mask_small(name, value, secrets)
                if masked is not value:
                    changed[name] = masked
        if record.error is not None:
            changed["error"] = self.mask_error(record.error, secrets)
        for name in _PLAIN_DATA:
            if (value := getattr(record, name)) is not None:
                changed[name] = self.mask_value(value, secrets)
        return replace(record, **changed) if changed else record

    def _mask_small(self, field: str, value: Any, secrets: HiddenValues | None) -> Any:
        """Return the masked value of a field that holds a name or a count; None for a bad count."""
        if value is None:
            return None
        if field in _LIMITS:
            masked: Any = self.mask_name(value, secrets, longest=_LIMITS[field])
        elif field in _COUNTS:
            masked = value if _is_count(value) else None
        else:
            return value
        if masked != value:
            return masked
        clean = self._known_clean(secrets)
        if len(clean) < MAX_DECISION_VALUES:
            clean.add(value)
        return value

    def _known_clean(self, secrets: HiddenValues | None) -> set[Any]:
        known_for = (self._values, 0 if secrets is None else secrets.version)
        if known_for != self._clean_for:
            self._clean, self._clean_for = {None}, known_for
        return self._clean


class _Copy:
    """Makes a masked copy of plain data, of a bounded size."""

    def __init__(self, masking: Masking, secrets: HiddenValues | None) -> None:
        self.masking, self.secrets = masking, secrets
        self.room = MAX_DECISION_VALUES

    def of(self, value: Any, depth: int = 0) -> Any:
        """Return the copy of `value`, which is nested `depth` levels deep."""
        self.room -= 1
        if value is None or isinstance(value, bool | float):
            return value
        if isinstance(value, int) and abs(value) < _MAX_COUNT:
            return value
        if is_mapping(value):
            return self._mapping(value, depth) if depth < DEEPEST else _TOO_MUCH
        if is_several(value):
            return self._several(value, depth) if depth < DEEPEST else _TOO_MUCH
        text = value if isinstance(value, str) else _to_text(value)
        shown = self.masking.mask_text(text, self.secrets)
        self.room -= len(shown) // _CHARACTERS_OF_A_VALUE
        return shown

    def _mapping(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        copied: dict[str, Any] = {}
        for key, item in value.items():
            if self.room <= 0 and key != _TOO_MUCH:  # the key shows that an earlier cut was made
                copied[_TOO_MUCH] = f"{len(value) - len(copied):,} more"
                break
            if key == "request" and isinstance(item, str):
                copied["request_sha256"] = text_to_sha256(item)
            else:
                copied[self.masking.mask_name(key, self.secrets)] = self.of(item, depth + 1)
        return copied

    def _several(self, value: Any, depth: int) -> list[Any]:
        copied: list[Any] = []
        for item in value:
            if self.room <= 0 and not str(item).startswith(_TOO_MUCH):
                copied.append(f"{_TOO_MUCH} {len(value) - len(copied):,} more")
                break
            copied.append(self.of(item, depth + 1))
        return copied


def text_to_sha256(text: str) -> str:
    """Return the SHA-256 digest of `text`, which records hold in place of a request's words."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _has_all(clean: set[Any], values: Iterable[Any]) -> bool:
    try:
        return clean.issuperset(values)
    except TypeError:  # a value that cannot be hashed, such as a list in place of a name
        return False


def _is_count(value: object) -> bool:
    return isinstance(value, float) or (isinstance(value, int) and abs(value) < _MAX_COUNT)


def _to_text(value: Any) -> str:
    try:
        return str(value)
    except Exception:  # noqa: BLE001  # a foreign __str__, or an integer of 5,000 digits
        return f"({type(value).__name__} that cannot be shown)"


MAX_SEARCHED_CHARACTERS: Final = 64_000
"""Characters of a text that are searched for secrets; a longer search would cost too much time."""
MAX_SECRET_CHARACTERS: Final = 4_000
"""Characters before the end of the searched part in which a secret may be cut in two."""
_CUT: Final = re.compile(r" … \([0-9,]{1,20} more characters\)\Z")
_MAX_CUT_CHARACTERS: Final = 50
"""Characters by which the note of an earlier cut may exceed the limit."""


def marked(text: str, hits: list[Hit], longest: int) -> str:
    """Return `text` with the marks of `hits`, cut to `longest` characters.

    A cut text ends with the number of characters that were left out. A text that was cut before
    to the same length is not cut again.
    """
    if longest < len(text) <= longest + _MAX_CUT_CHARACTERS and _CUT.search(text, longest):
        longest = len(text)
    if not hits and len(text) <= longest:
        return text
    # a secret that crosses the end of the searched part is not found, so stop well before that end
    end = (
        len(text)
        if len(text) <= MAX_SEARCHED_CHARACTERS
        else MAX_SEARCHED_CHARACTERS - MAX_SECRET_CHARACTERS
    )
    pieces: list[str] = []
    at, room = 0, longest
    for start, stop, mark in _apart(hits):
        if start >= end or start - at + len(mark) > room:
            break
        pieces += (text[at:start], mark)
        room -= start - at + len(mark)
        at = stop
    else:
        start = end
    plain = text[at : min(start, end, at + room)]
    pieces.append(plain)
    cut = len(text) - at - len(plain)
    return "".join(pieces) + (f" … ({cut:,} more characters)" if cut else "")


def _apart(hits: list[Hit]) -> list[Hit]:
    """Return `hits` in order, with overlapping entries merged under the mark of the longest."""
    apart: list[Hit] = []
    longest = 0
    for each in sorted(hits, key=lambda item: (item.start, -item.end)):
        if not apart or each.start >= apart[-1].end:
            apart.append(each)
            longest = each.end - each.start
            continue
        last = apart.pop()
        mark, length = last.mark, each.end - each.start
        if length > longest:
            mark, longest = each.mark, length
        apart.append(Hit(last.start, max(last.end, each.end), mark))
    return apart


MIN_SECRET_CHARACTERS: Final = 6
"""Characters; masking a shorter value would mask ordinary words."""
SECRET_NAMES: Final = (
    *("_KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "_PASS", "_PWD"),
    *("_PAT", "_COOKIE", "_CREDENTIAL", "_CONNECTION_STRING", "_SAS"),
)
"""Endings of the names of variables whose values are secrets."""
ADDRESS_NAMES: Final = ("_URL", "_URI", "_DSN", "_ENDPOINT", "_PROXY")
"""Endings of the names of variables whose values may be addresses with a password."""
HEADER_NAMES: Final = ("_HEADERS",)
"""Endings of the names of variables that list headers, as OpenTelemetry's do."""
_TELLING_NAMES: Final = (*SECRET_NAMES, *ADDRESS_NAMES, *HEADER_NAMES)


def environment_values(environment: Mapping[str, str]) -> HiddenValues:
    """Return the secrets of `environment`, which another OS thread may change meanwhile."""
    telling = (name for name in environment if name.upper().endswith(_TELLING_NAMES))
    secrets = (
        secret
        for name in telling
        for secret in _secrets_of(name.upper(), environment.get(name, ""))
        if len(secret.strip()) >= MIN_SECRET_CHARACTERS
    )
    return _to_hidden_values(frozenset(secrets))


@lru_cache(maxsize=16)
def _to_hidden_values(secrets: frozenset[str]) -> HiddenValues:
    """Return `secrets` as hidden values; the cache lets the runs of a process share them."""
    values = HiddenValues()
    for secret in secrets:
        values.add("", secret)
    return values


def _secrets_of(name: str, value: str) -> list[str]:
    """Return the secrets in `value`, the value of the variable `name`."""
    if name.endswith(SECRET_NAMES):
        return [value]
    if name.endswith(HEADER_NAMES):
        return [item.partition("=")[2].rpartition(" ")[2] for item in value.split(",")]
    account, is_there, _ = value.partition("://")[2].partition("/")[0].rpartition("@")
    return [account.partition(":")[2]] if is_there else []
