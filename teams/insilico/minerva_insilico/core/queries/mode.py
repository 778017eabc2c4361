"""One question in one of nine modes, and hits of one form."""

from collections.abc import Callable, Iterator, Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Literal

from minerva_insilico.core.facts.fault import UnknownNameError
from minerva_insilico.core.fields.usage import field_uses
from minerva_insilico.core.index.index import Index, Page
from minerva_insilico.core.parsing.encoding import well_formed
from minerva_insilico.core.queries.caller import (
    CallHit,
    find_callees,
    find_callers,
    find_importers,
    find_imports,
)
from minerva_insilico.core.queries.nearest import is_field, is_module, is_symbol, unknown
from minerva_insilico.core.queries.pattern import find_pattern
from minerva_insilico.core.queries.search import find_symbol, named_exactly
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

    def __post_init__(self) -> None:
        """Spell a byte that is no UTF-8 as an index does."""
        object.__setattr__(self, "query", well_formed(self.query))


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
        UnknownNameError: nothing is found, and the code has no such name.
    """
    page = _MODES[asked.mode](index, asked)
    if not page.total:
        for error in unknown_names(index, asked):
            raise error
    return page


def unknown_names(index: Index, asked: Asked) -> Iterator[UnknownNameError]:
    """Yield an error for each name that is asked about and that the code does not have.

    A text, a pattern and the words of documents are no names.
    """
    query = asked.query
    match asked.mode:
        case "callees" if not named_exactly(index, query):
            yield unknown(index, "symbol", query)
        case "callers" if not is_symbol(index, query):
            yield unknown(index, "symbol", query)
        case "field_uses":
            for name in names_of(query):
                if not is_field(index, name):
                    yield unknown(index, "field", name)
        case "importers" if not is_module(index, query):
            yield unknown(index, "module", query)
        case "imports" if not index.modules.matching(query):
            yield unknown(index, "module", query)
        case "symbol" if not find_symbol(index, query, limit=1).total:
            yield unknown(index, "name", query)
        case _:
            return


def without(asked: Asked, unknown: AbstractSet[str]) -> Asked | None:
    """Return what is asked about the names that are known, or None if there is none."""
    if not unknown:
        return asked
    known = [name for name in names_of(asked.query) if name not in unknown]
    is_list = asked.mode == "field_uses" and known
    return replace(asked, query=" ".join(known)) if is_list else None


def names_of(query: str) -> list[str]:
    """Return the names in a query for uses of fields."""
    return query.replace(",", " ").split()


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
    page = field_uses(index, names_of(asked.query), limit=asked.limit, with_variables=False)
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
