"""The words by which code is understood: of sinks, models, frameworks and languages.

The parsing process reads them, which knows nothing of the platform, so they are loaded by the
standard library alone.
"""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, cast

_FOLDER = Path(__file__).with_name("words")
_PARTS = re.compile(r"[A-Z]+[0-9]*(?![a-z])|[A-Z]?[a-z]+[0-9]*|[0-9]+|[^\W_a-zA-Z0-9]+")


@cache
def words(file: str, section: str, name: str) -> frozenset[str]:
    """Return a list of `words/FILE.toml` as a set."""
    return frozenset(cast("list[str]", table(file, section)[name]))


@cache
def word_list(file: str, section: str, name: str) -> tuple[str, ...]:
    """Return a list of `words/FILE.toml` in its order."""
    return tuple(cast("list[str]", table(file, section)[name]))


def table(file: str, section: str) -> dict[str, Any]:
    """Return a section of `words/FILE.toml`."""
    return cast("dict[str, Any]", _file(file)[section])


def services() -> dict[str, str]:
    """Return the host of each library that talks to one service."""
    return table("sinks", "services")


@cache
def parts_of(name: str) -> frozenset[str]:
    """Return the words of an identifier in small letters: `maskRrn`, `mask_rrn`."""
    return frozenset(part.lower() for part in _PARTS.findall(name))


def masks(name: str) -> bool:
    """True if a function's name says that it hides what it is given."""
    parts = parts_of(name)
    return not parts.isdisjoint(words("sinks", "masking", "words")) and "unmask" not in parts


@cache
def _file(file: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{file}.toml").read_text(encoding="utf-8"))
