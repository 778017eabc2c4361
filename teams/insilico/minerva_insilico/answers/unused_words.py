"""Find the words of a request that change nothing in an answer of this team.

A false alarm is a fault as well, so only two kinds are told: what `qualifiers.txt` lists, which no
worker here can do, and the place that a search was to be narrowed to.
"""

import importlib
import re
from functools import cache
from importlib import resources
from typing import Any, Final

from minerva_insilico.core.queries.question import Question

_MAX_CHARACTERS: Final = 20_000
_PLACE: Final = re.compile(
    r"""\b(?:in|under|inside|within)\s+(?:the\s+)?(?!(?:a|an|any|each|every|that|the|this|what|which)\b)
        (?: (?:module|package|folder|directory|file|class)\s+`?[\w./-]+`?
          | `?[\w.-]+`?\s+(?:module|package|folder|directory)\b
          | `?(?:[\w.-]+/)+[\w.-]*`? | `?[\w-]+\.py\b`? )
      | `?[\w./-]+`?\s?(?:모듈|패키지|폴더|파일|클래스)?\s?(?:안)?에서만(?=\s|$)
      | `?[\w./-]+`?\s?(?:모듈|패키지|폴더|클래스)\s?(?:안)?에서(?=\s|$)""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
"""A place in the code that what is asked for shall lie in."""


def unused_qualifiers(request: str) -> tuple[str, ...]:
    """Return the words of a request that narrow, order or shape what no worker here can."""
    text = request[:_MAX_CHARACTERS]
    found = (
        (match.start(), match.group()) for one in _qualifiers() for match in one.finditer(text)
    )
    return _longest([words for _, words in sorted(found)])


def unused_in_search(request: str, question: Question) -> tuple[str, ...]:
    """Return the words of a request that a search does not take into account.

    A search covers the whole tree: a module or a folder that it was to be narrowed to is told,
    except where the place itself is what is asked about.
    """
    if question.mode in {"importers", "imports"} or not question.names:
        return unused_qualifiers(request)
    places = [match.group() for match in _PLACE.finditer(request[:_MAX_CHARACTERS])]
    return _longest([*places, *unused_qualifiers(request)])


def _longest(found: list[str]) -> tuple[str, ...]:
    """Return each of the words once, without those that stand in longer ones."""
    trimmed = dict.fromkeys(" ".join(words.split()) for words in found)
    return tuple(
        words for words in trimmed if not any(words != item and words in item for item in trimmed)
    )


@cache
def _qualifiers() -> tuple[Any, ...]:
    re2: Any = importlib.import_module("re2")  # untyped; a request may be hostile
    listed = resources.files("minerva_insilico").joinpath("qualifiers.txt").read_text("utf-8")
    lines = (line.strip() for line in listed.splitlines())
    return tuple(re2.compile(f"(?i){line}") for line in lines if line and line[0] != "#")
