"""One question in one of nine modes, and hits of one form."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from minerva_insilico.core.fields.usage import field_uses
from minerva_insilico.core.index.index import Index, Page
from minerva_insilico.core.queries.caller import (
    CallHit,
    find_callees,
    find_callers,
    find_importers,
    find_imports,
)
from minerva_insilico.core.queries.pattern import find_pattern
from minerva_insilico.core.queries.search import find_symbol
from minerva_insilico.core.queries.text import TextHit, find_sections, find_text

Mode = Literal[
    "symbol",
    "text",
    "pattern",
    "documents",
    "callers",
    "callees",
    "imports",
    "importers",
    "field_uses",
]

_SAME_NAME_SCORE = 0.5
_DEEPER = 0.8


@dataclass(frozen=True)
class Asked:
    """What is asked: a name, a text or a pattern, by its mode."""

    mode: Mode
    query: str
    limit: int = 50
    transitive: int = 0
    """How many calls further callers and callees are followed."""
    is_pattern: bool = False
    """Whether a text is a regular expression."""
    language: str = "python"
    """The language of a pattern of code."""


@dataclass(frozen=True)
class Hit:
    """A place that answers, best first."""

    path: str
    line: int
    symbol: str
    """What is there: a definition, who calls, what is imported, what surrounds a use."""
    snippet: str
    score: float
    """1 is certain; a hit that shares only a name has less."""
    why: str
    """`exact`, `same_name`, the kind of what is there, `text`, `pattern`, `import`."""
    target: str = ""
    """What is called."""
    depth: int = 0


def search(index: Index, asked: Asked) -> Page[Hit]:
    """Answer in the mode that is asked for.

    Raises:
        WrongQueryError: a pattern cannot be used.
        MissingExtraError: the mode needs a library that is not installed.
    """
    return _MODES[asked.mode](index, asked)


def _symbol(index: Index, asked: Asked) -> Page[Hit]:
    page = find_symbol(index, asked.query, limit=asked.limit)
    hits: list[Hit] = []
    for symbol in page.items:
        name = symbol.qualname.lower()
        query = asked.query.lower()
        is_named = name == query or name.endswith(f".{query}")
        score = 1.0 if is_named else _SAME_NAME_SCORE
        snippet = index.snippet(symbol.path, symbol.line)
        hits.append(Hit(symbol.path, symbol.line, symbol.qualname, snippet, score, symbol.kind))
    return Page(tuple(hits), page.total)


def _text(index: Index, asked: Asked) -> Page[Hit]:
    found = find_text(index, asked.query, limit=asked.limit, is_pattern=asked.is_pattern)
    return _lines(found, "text")


def _pattern(index: Index, asked: Asked) -> Page[Hit]:
    found = find_pattern(index, asked.query, language=asked.language, limit=asked.limit)
    return _lines(found, "pattern")


def _lines(page: Page[TextHit], why: str) -> Page[Hit]:
    hits = (Hit(hit.path, hit.line, "", hit.snippet, 1.0, why) for hit in page.items)
    return Page(tuple(hits), page.total)


def _documents(index: Index, asked: Asked) -> Page[Hit]:
    page = find_sections(index, asked.query, limit=asked.limit)
    hits = (
        Hit(hit.path, hit.line, hit.title, hit.snippet, hit.score / (1 + hit.score), hit.kind)
        for hit in page.items
    )
    return Page(tuple(hits), page.total)


def _callers(index: Index, asked: Asked) -> Page[Hit]:
    return _calls(find_callers(index, asked.query, limit=asked.limit, transitive=asked.transitive))


def _callees(index: Index, asked: Asked) -> Page[Hit]:
    return _calls(find_callees(index, asked.query, limit=asked.limit, transitive=asked.transitive))


def _calls(page: Page[CallHit]) -> Page[Hit]:
    hits = (
        Hit(
            hit.path,
            hit.line,
            hit.symbol,
            hit.snippet,
            (1.0 if hit.resolution == "exact" else _SAME_NAME_SCORE) * _DEEPER**hit.depth,
            hit.resolution,
            hit.target,
            hit.depth,
        )
        for hit in page.items
    )
    return Page(tuple(hits), page.total)


def _imports(index: Index, asked: Asked) -> Page[Hit]:
    find = find_imports if asked.mode == "imports" else find_importers
    page = find(index, asked.query, limit=asked.limit)
    hits = (Hit(hit.path, hit.line, hit.module, hit.snippet, 1.0, "import") for hit in page.items)
    return Page(tuple(hits), page.total)


def _field_uses(index: Index, asked: Asked) -> Page[Hit]:
    names = asked.query.replace(",", " ").split()
    page = field_uses(index, names, limit=asked.limit, with_variables=False)
    hits = (
        Hit(use.path, use.line, use.symbol, use.snippet, 1.0, use.kind, use.name)
        for use in page.items
    )
    return Page(tuple(hits), page.total)


_MODES: dict[Mode, Callable[[Index, Asked], Page[Hit]]] = {
    "callees": _callees,
    "callers": _callers,
    "documents": _documents,
    "field_uses": _field_uses,
    "importers": _imports,
    "imports": _imports,
    "pattern": _pattern,
    "symbol": _symbol,
    "text": _text,
}
