"""Find the words of a request that change nothing in an answer of this team.

A false alarm is a fault as well, so only two kinds are named: restrictions that no worker here can
honour, and the place that a search was to be narrowed to.
"""

import re
from collections.abc import Collection
from typing import Final

from minerva_insilico.core.index.index import Index
from minerva_insilico.core.queries.name_question import NameQuestion
from minerva_platform.text import RESTRICTION_KINDS, restrictions_in

_MAX_CHARACTERS: Final = 20_000
_KINDS: Final = RESTRICTION_KINDS - {"column", "only", "unit"}
"""Restrictions that no worker here honours: an index knows no people, and the files as they are.

"only" may name what a search looks for, and a unit such as a module may be one of Python's.
"""

_TOKEN: Final = re.compile(r"[A-Za-z_][\w./-]*", re.ASCII)
_PLACE: Final = re.compile(
    r"""\b(?:in|under|inside|within)\s+(?:the\s+)?
        (?!(?:a|an|any|each|every|that|the|this|what|which)\b)  # not "in any module"
        (?: (?:module|package|folder|directory|file|class)\s+`?[\w./-]+`?  # in module billing
          | `?[\w.-]+`?\s+(?:module|package|folder|directory)\b             # in the billing module
          | `?(?:[\w.-]+/)+[\w.-]*`? | `?[\w-]+\.py\b`? )                    # in app/api.py
      | `?[\w./-]+`?\s?(?:모듈|패키지|폴더|파일|클래스)?\s?(?:안)?에서만(?=\s|$)   # only in it
      | `?[\w./-]+`?\s?(?:모듈|패키지|폴더|클래스)\s?(?:안)?에서(?=\s|$)""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
"""A place in the code that what is asked for shall lie in."""


def unused_restrictions(request: str) -> tuple[str, ...]:
    """Return the words of a request that narrow, order or shape what no worker here can."""
    return tuple(dict.fromkeys(one.words for one in restrictions_in(request, _KINDS)))


def places_in(request: str) -> list[str]:
    """Return the words of a request that name a place which the answer shall lie in."""
    return [match.group() for match in _PLACE.finditer(request[:_MAX_CHARACTERS])]


def tokens_in(place: str) -> list[str]:
    """Return the words of a place that may be a path or the name of a module."""
    return [token.strip("/.") for token in _TOKEN.findall(place)]


def files_at(index: Index, place: str) -> frozenset[str]:
    """Return the files of a folder, a file or a module that the words of a place name."""
    for name in reversed(tokens_in(place)):
        found = {
            path
            for path in index.parsed_paths
            if path == name or path.startswith(f"{name}/") or f"/{path}".endswith(f"/{name}")
        }
        modules = index.modules.names.items()
        found |= {path for path, one in modules if f"{one}.".startswith(f"{name}.")}
        if found:
            return frozenset(found)
    return frozenset()


def unused_in_search(
    request: str, question: NameQuestion, places: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the words of a request that a search does not take into account.

    A search covers the whole tree, but for `places` that it was narrowed to. Another module or
    folder is unused, except where the place itself is what is asked about.
    """
    if question.kind in {"importers", "imports"} or not question.names:
        return unused_restrictions(request)
    others = [place for place in places_in(request) if place not in places]
    rest = [one for one in unused_restrictions(request) if not any(one in each for each in places)]
    return _longest([*others, *rest])


def _longest(phrases: list[str]) -> tuple[str, ...]:
    """Return each of the words once, without those that stand in longer ones."""
    trimmed = dict.fromkeys(" ".join(words.split()) for words in phrases)
    return tuple(
        words for words in trimmed if not any(words != item and words in item for item in trimmed)
    )
