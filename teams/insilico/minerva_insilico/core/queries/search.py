"""One search in one of nine modes, and hits of one form."""

import importlib.util
import re
from collections.abc import Callable, Iterator, Set as AbstractSet
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, Literal

from minerva_insilico.core.facts.errors import MissingExtraError, UnknownNameError, WrongQueryError
from minerva_insilico.core.fields.usage import FieldUse, field_uses
from minerva_insilico.core.index.index import Hit, Index, Page
from minerva_insilico.core.index.store import source_text
from minerva_insilico.core.parsing.encoding import well_formed
from minerva_insilico.core.parsing.parser import Failure, Parser
from minerva_insilico.core.queries.caller import (
    SAME_NAME_SCORE,
    find_callees,
    find_callers,
    find_importers,
    find_imports,
)
from minerva_insilico.core.queries.nearest import is_field, is_module, is_symbol, unknown
from minerva_insilico.core.queries.symbol import find_symbol, named_exactly
from minerva_insilico.core.queries.text import find_sections, find_text, lines_with, unparsed_lines

SearchMode = Literal[
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


@dataclass(frozen=True)
class SearchQuery:
    """The query: a name, a text or a pattern, by its mode."""

    mode: SearchMode
    text: str
    limit: int = 50
    transitive: int = 0
    """How many calls further callers and callees are followed."""
    is_pattern: bool = False
    """True if a text is a regular expression."""
    language: str = "python"
    """The language of a pattern of code."""

    def __post_init__(self) -> None:
        """Spell a byte that is no UTF-8 as an index does."""
        object.__setattr__(self, "text", well_formed(self.text))


def search(index: Index, query: SearchQuery) -> Page[Hit]:
    """Answer in the mode that is asked for.

    Raises:
        WrongQueryError: a pattern cannot be used.
        MissingExtraError: the mode needs a library that is not installed.
        UnknownNameError: nothing is found, and the code has no such name.
    """
    page = hits_of(index, query)
    if not page.total:
        for error in unknown_names(index, query):
            raise error
    return page


def hits_of(index: Index, query: SearchQuery) -> Page[Hit]:
    """Answer in the mode that is asked for, with no hits for names that the code does not have.

    Raises:
        WrongQueryError: a pattern cannot be used.
        MissingExtraError: the mode needs a library that is not installed.
    """
    return _MODES[query.mode](index, query)


def unknown_names(index: Index, query: SearchQuery) -> Iterator[UnknownNameError]:
    """Yield an error for each name that is asked about and that the code does not have.

    A text, a pattern and the words of documents are no names.
    """
    text = query.text
    match query.mode:
        case "callers" | "symbol" if unparsed_lines(index, text):
            return
        case "callees" if not named_exactly(index, text):
            yield unknown(index, "symbol", text)
        case "callers" if not is_symbol(index, text):
            yield unknown(index, "symbol", text)
        case "field_uses":
            for name in names_of(text):
                if not (
                    is_field(index, name)
                    or named_exactly(index, name)
                    or unparsed_lines(index, name)
                ):
                    yield unknown(index, "field", name)
        case "importers" if not is_module(index, text):
            yield unknown(index, "module", text)
        case "imports" if not index.modules.matching(text):
            yield unknown(index, "module", text)
        case "symbol" if not (find_symbol(index, text, limit=1).total or is_field(index, text)):
            yield unknown(index, "name", text)
        case _:
            return


def without(query: SearchQuery, unknown: AbstractSet[str]) -> SearchQuery | None:
    """Return what is asked about the names that are known, or None if there is none."""
    if not unknown:
        return query
    known = [name for name in names_of(query.text) if name not in unknown]
    is_list = query.mode == "field_uses" and known
    return replace(query, text=" ".join(known)) if is_list else None


def names_of(text: str) -> list[str]:
    """Return the names in a query for uses of fields."""
    return text.replace(",", " ").split()


def _symbol(index: Index, query: SearchQuery) -> Page[Hit]:
    page = find_symbol(index, query.text, limit=query.limit)
    hits: list[Hit] = []
    for symbol in page.items:
        name = symbol.qualname.lower()
        text = query.text.lower()
        is_named = name == text or name.endswith(f".{text}")
        score = 1.0 if is_named else SAME_NAME_SCORE
        snippet = index.snippet(symbol.path, symbol.line)
        hits.append(Hit(symbol.path, symbol.line, symbol.qualname, snippet, score, symbol.kind))
    return Page(tuple(hits), page.total)


def _text(index: Index, query: SearchQuery) -> Page[Hit]:
    return find_text(index, query.text, limit=query.limit, is_pattern=query.is_pattern)


def _pattern(index: Index, query: SearchQuery) -> Page[Hit]:
    return find_pattern(index, query.text, language=query.language, limit=query.limit)


def _documents(index: Index, query: SearchQuery) -> Page[Hit]:
    page = find_sections(index, query.text, limit=query.limit)
    hits = (
        Hit(hit.path, hit.line, hit.title, hit.snippet, hit.score / (1 + hit.score), hit.kind)
        for hit in page.items
    )
    return Page(tuple(hits), page.total)


def _calls(index: Index, query: SearchQuery) -> Page[Hit]:
    find = find_callers if query.mode == "callers" else find_callees
    page = find(index, query.text, limit=query.limit, transitive=query.transitive)
    lines = unparsed_lines(index, query.text) if query.mode == "callers" else ()
    return Page((*page.items, *lines)[: query.limit], page.total + len(lines))


def _imports(index: Index, query: SearchQuery) -> Page[Hit]:
    find = find_imports if query.mode == "imports" else find_importers
    return find(index, query.text, limit=query.limit)


def _field_uses(index: Index, query: SearchQuery) -> Page[Hit]:
    names = names_of(query.text)
    page = field_uses(index, names, limit=query.limit, with_variables=False)
    hits = [*map(hit_of_use, page.items)]
    total = page.total
    for name in names:
        is_symbol_name = bool(named_exactly(index, name))
        more = [*find_callers(index, name, limit=_ALL).items] if is_symbol_name else []
        places = {(one.path, one.line) for one in more}
        lines = word_lines(index, name, limit=_ALL).items
        more += [one for one in lines if (one.path, one.line) not in places]
        hits, total = hits + more, total + len(more)
    return Page(tuple(hits[: query.limit]), total)


def word_lines(index: Index, name: str, *, limit: int = 50) -> Page[Hit]:
    """Return lines with a name that no facts speak for.

    They are all lines with the name of a class, without its definitions, and for any name those of
    code that was not parsed.
    """
    symbols = [one for one in named_exactly(index, name) if one.kind == "class"]
    places = {(one.path, one.line) for one in symbols}
    lines = lines_with(index, name) if symbols else unparsed_lines(index, name)
    hits = tuple(hit for hit in lines if (hit.path, hit.line) not in places)
    return Page(hits[:limit], len(hits))


def hit_of_use(use: FieldUse) -> Hit:
    """Return a use of a field as a hit, with its score and the reason of it."""
    return Hit(
        use.path, use.line, use.symbol, use.snippet, use.score, use.kind, use.name,
        reason=use.reason,
    )  # fmt: skip


LANGUAGES = ("python", "java", "javascript", "typescript", "tsx", "go")
EXTRA = "pip install 'minerva-team-insilico[pattern]'"

_ALL = 1_000_000
_DEFAULT_LIMIT = 50
_MAX_CHARACTERS = 2_000
_MAX_FAILURES = 3
"""Files on which a pattern fails before it, and not the files, is taken to be wrong."""
_META = re.compile(r"\$+[A-Z0-9_]*")
_WORD = re.compile(r"\w+")
_MAX_SNIPPET = 160
"""Characters of a line that is shown."""


def find_pattern(
    index: Index, pattern: str, *, language: str = "python", limit: int = _DEFAULT_LIMIT
) -> Page[Hit]:
    """Find code that matches an ast-grep pattern: `$A` is one part, `$$$` any number of parts.

    ast-grep runs in the process that may be killed, on the sources as they were indexed. Files that
    lack a word of the pattern are not parsed.

    Raises:
        MissingExtraError: ast-grep is not installed.
        WrongQueryError: the pattern cannot be used.
    """
    if importlib.util.find_spec("ast_grep_py") is None:
        raise MissingExtraError(EXTRA)
    if not pattern.strip() or len(pattern) > _MAX_CHARACTERS:
        reason = f"it is empty or longer than {_MAX_CHARACTERS:,} characters"
        raise WrongQueryError(pattern, reason)
    if language not in LANGUAGES:
        reason = f"`{language}` is none of {', '.join(LANGUAGES)}"
        raise WrongQueryError(pattern, reason)
    hits: list[Hit] = []
    total = 0
    for path, text, numbers in _matches(index, pattern, language):
        lines = text.split("\n")
        for number in numbers:
            total += 1
            if len(hits) < limit:
                snippet = lines[number].strip() if number < len(lines) else ""
                hits.append(Hit(path, number + 1, "", snippet[:_MAX_SNIPPET], 1.0, "pattern"))
    return Page(tuple(hits), total)


def _matches(index: Index, pattern: str, language: str) -> Iterator[tuple[str, str, list[int]]]:
    """Yield (path, text, numbers of lines from 0) of each file with a match."""
    words = set(_WORD.findall(_META.sub(" ", pattern)))
    rows = index.connection.execute(
        "SELECT path, source FROM files WHERE language = ? AND source NOTNULL ORDER BY path",
        (language,),
    )
    failures: list[Failure] = []
    with ExitStack() as stack:
        parser = stack.enter_context(Parser())
        for path, source in rows:
            text = source_text(source)
            if not all(word in text for word in words):
                continue
            message: dict[str, Any] = {"do": "match", "pattern": pattern, "language": language}
            answer = parser.ask(message, text.encode())
            if isinstance(answer, Failure):
                failures.append(answer)
                if len(failures) == _MAX_FAILURES:
                    raise WrongQueryError(pattern, answer.error)
                continue
            if answer[0]["lines"]:
                yield path, text, answer[0]["lines"]


_MODES: dict[SearchMode, Callable[[Index, SearchQuery], Page[Hit]]] = {
    "callees": _calls,
    "callers": _calls,
    "documents": _documents,
    "field_uses": _field_uses,
    "importers": _imports,
    "imports": _imports,
    "pattern": _pattern,
    "symbol": _symbol,
    "text": _text,
}
