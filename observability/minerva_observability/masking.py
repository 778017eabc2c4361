"""Keep secrets out of records and logs: the one place where text is masked.

A run's scope masks each record before any recorder sees it, and the log
pipeline calls the same functions, so no sink can forget to.
"""

import hashlib
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeGuard

from minerva_observability.record import ErrorInfo, Record

MASK: Final = "[masked]"
LONGEST_TEXT: Final = 8_000
"""Characters of an error message that are kept; the rest is counted, not shown."""
LONGEST_SEARCHED: Final = 64_000
"""Characters that are searched for secrets by their form: patterns cost time."""
LONGEST_SECRET: Final = 4_000
"""Characters a secret found by its form may have."""
SHORTEST_SECRET: Final = 6
"""A shorter value of the environment would blank out ordinary words."""
SHORTEST_NUMBER: Final = 4
"""Digits below which a sensitive number is too common to be searched for."""

SECRET_NAMES: Final = ("_KEY", "_TOKEN", "_SECRET", "PASSWORD")
"""Endings of names of environment variables whose values are secrets."""

_SECRETS: Final = re.compile(
    r"""
      \b(?:sk|pk|rk)-[A-Za-z0-9_-]{8,}                    # OpenAI, Anthropic, Stripe style keys
    | \bgh[pousr]_[A-Za-z0-9]{16,} | \bgithub_pat_\w{20,} # GitHub
    | \bxox[abposr]-[A-Za-z0-9-]{10,}                     # Slack
    | \bAKIA[0-9A-Z]{16}\b                                # AWS access key id
    | \bAIza[A-Za-z0-9_-]{30,}                            # Google
    | \bhf_[A-Za-z0-9]{16,}                               # Hugging Face
    | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*   # JSON web tokens
    | (?<=://)[^\s/@:]{1,200}:[^\s/@]{1,200}(?=@)         # user:password in an address
    | (?i:(?<=\bbearer\ )|(?<=\bbasic\ ))[A-Za-z0-9._~+/=-]{6,}
    """,
    re.VERBOSE,
)
_SECRET_SIGNS: Final = (
    *("sk-", "pk-", "rk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    *("xox", "akia", "aiza", "hf_", "eyj", "://", "bearer", "basic"),
)
"""Without one of them in a text, no pattern of `_SECRETS` can match: 1 µs instead of 90."""
_ASSIGNED: Final = re.compile(
    r"""(?ix)
    ( (?:api[_-]?key | access[_-]?key | token | secret | password | passwd)
      ["']?\s{0,3}[=:]\s{0,3}["']? )
    [^\s"',;&)}\]]{6,}
    """,
)
_ASSIGNED_SIGNS: Final = ("key", "token", "secret", "passw")
_PYDANTIC_INPUT: Final = re.compile(r"input_value=.{0,200}?, input_type=", re.DOTALL)
"""Pydantic quotes what it refused, cut to 50 characters: that is the user's data."""


class HiddenValues:
    """The values of a run's sensitive fields, longest first, each with its field's name."""

    __slots__ = ("_names", "_ordered")

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._ordered: tuple[tuple[str, str], ...] = ()

    def add(self, name: str, value: Any) -> None:
        """Hide every text inside `value` under `name`."""
        for text in _texts(value):
            for spelling in {text, repr(text)[1:-1], ascii(text)[1:-1]}:
                self._names.setdefault(spelling, name)
        self._ordered = tuple(sorted(self._names.items(), key=lambda item: -len(item[0])))

    def mask(self, text: str) -> str:
        """Return `text` with each hidden value replaced by its field's name."""
        for value, name in self._ordered:
            if value in text:
                text = text.replace(value, f"[masked {name}]")
        return text


class Masking:
    """Masks secrets by their form, and the secrets of the environment by their value.

    Reading the environment costs some 20 µs, so each run has a masking of its
    own: a key that was set since the last run is known.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        """Read the secrets of `environment` (default: the process's) once."""
        self._values = _secret_values(os.environ if environment is None else environment)

    def mask_text(self, text: str, hidden: HiddenValues | None = None) -> str:
        """Return `text` without secrets, cut to `LONGEST_TEXT`, writable as UTF-8."""
        if hidden is not None:
            text = hidden.mask(text)
        for value in self._values:
            if value in text:
                text = text.replace(value, MASK)
        return writable(_without_patterns(text))

    def mask_value(self, value: Any, hidden: HiddenValues | None = None) -> Any:
        """Return plain data with every text masked and every `request` as its digest."""
        if isinstance(value, str):
            return self.mask_text(value, hidden)
        if is_mapping(value):
            return dict(self._mask_item(key, item, hidden) for key, item in value.items())
        if is_several(value):
            return [self.mask_value(item, hidden) for item in value]
        return value

    def mask_record(self, record: Record, hidden: HiddenValues | None = None) -> Record:
        """Return `record` fit to be kept; the same object where it holds no free text."""
        if record.reason is None and record.error is None and record.decision is None:
            return record
        reason, error, decision = record.reason, record.error, record.decision
        return replace(
            record,
            reason=None if reason is None else self.mask_text(reason, hidden),
            error=None if error is None else self._mask_error(error, hidden),
            decision=None if decision is None else self.mask_value(decision, hidden),
        )

    def _mask_error(self, error: ErrorInfo, hidden: HiddenValues | None) -> ErrorInfo:
        masked = error.copy()
        masked["message"] = self.mask_text(error["message"], hidden)
        return masked

    def _mask_item(self, key: Any, item: Any, hidden: HiddenValues | None) -> tuple[str, Any]:
        if key == "request" and isinstance(item, str):
            return "request_sha256", text_to_sha256(item)
        return writable(str(key)), self.mask_value(item, hidden)


def text_to_sha256(text: str) -> str:
    """Return the digest under which records know a request, never its words."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _without_patterns(text: str) -> str:
    """Return `text` without what looks like a secret, cut, with how much is left out."""
    left_out = len(text) - LONGEST_SEARCHED
    searched = text[:LONGEST_SEARCHED]
    searched = _PYDANTIC_INPUT.sub(f"input_value={MASK}, input_type=", searched)
    lowered = searched.lower()
    if any(sign in lowered for sign in _SECRET_SIGNS):
        searched = _SECRETS.sub(MASK, searched)
    if any(sign in lowered for sign in _ASSIGNED_SIGNS):
        searched = _ASSIGNED.sub(rf"\1{MASK}", searched)
    if left_out > 0:  # a secret that the cut went through is not recognised: leave its half out
        searched, left_out = searched[:-LONGEST_SECRET], left_out + LONGEST_SECRET
    else:
        left_out = 0
    kept = searched[:LONGEST_TEXT]
    left_out += len(searched) - len(kept)
    return f"{kept} … ({left_out:,} more characters)" if left_out else kept


def writable(text: str) -> str:
    r"""Return `text` with lone surrogates spelled out (`\udc80`): UTF-8 cannot hold them."""
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Tell whether plain data is an object in JSON's sense."""
    return isinstance(value, Mapping)


def is_several(value: object) -> TypeGuard[Collection[Any]]:
    """Tell whether plain data is an array in JSON's sense."""
    return isinstance(value, list | tuple | set | frozenset)


def _secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    found = {
        value
        for name, value in environment.items()
        if name.upper().endswith(SECRET_NAMES) and len(value) >= SHORTEST_SECRET
    }
    return tuple(sorted(found, key=len, reverse=True))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if len(value.strip()) > 1:  # one letter occurs everywhere
            yield value
    elif is_mapping(value):
        for item in value.values():
            yield from _texts(item)
    elif is_several(value):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, int | float) and len(str(value)) >= SHORTEST_NUMBER:
        yield str(value)
