"""An earlier review to compare with: its findings.json, attached like any file."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

MAX_BYTES: Final = 256 * 1024 * 1024
"""Of a findings.json that is read."""
_TOOL: Final = "minerva review"
_MARK: Final = b'"tool": "minerva review"'
_HEAD_BYTES: Final = 4_096


class NoEarlierReviewError(Exception):
    """A file that is no findings.json of this program, or a broken one."""


@dataclass(frozen=True)
class Earlier:
    """The broken rules of an earlier review: fingerprint -> rule and target."""

    failing: dict[str, str]


def is_earlier_review(path: Path) -> bool:
    """True if a file begins as a findings.json of this program does."""
    if path.suffix.casefold() != ".json":
        return False
    try:
        with path.open("rb") as stream:
            return _MARK in stream.read(_HEAD_BYTES)
    except OSError:
        return False


def read_earlier(path: Path) -> Earlier:
    """Return the broken rules of an earlier review.

    Raises:
        NoEarlierReviewError: it is too large, cannot be read, or is none.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise NoEarlierReviewError
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if content["tool"] != _TOOL:
            raise NoEarlierReviewError
        failing = {
            str(each["fingerprint"]): f"{each['rule_id']} {each['target']}"
            for each in content["findings"]
            if each["status"] == "fail"
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NoEarlierReviewError from error
    return Earlier(failing)
