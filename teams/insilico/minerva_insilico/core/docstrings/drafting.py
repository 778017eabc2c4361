"""Draft docstrings for symbols of an index, in given words; the sources stay as they are."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from minerva_insilico.core.docstrings.docstyle import Style, style_of
from minerva_insilico.core.docstrings.insertion import MODULE
from minerva_insilico.core.facts.boundary import read_source
from minerva_insilico.core.facts.errors import UnreadableSourceError
from minerva_insilico.core.index.index import Index, SymbolRef
from minerva_insilico.core.parsing.parser import Failure, Parser

CHANGED = "it changed since it was indexed"
Place = tuple[str, int]
"""A path, and the line of a definition in it (0 for the module itself)."""


@dataclass(frozen=True)
class Subject:
    """A symbol without a docstring, and the parts that one must have."""

    symbol: SymbolRef
    described: dict[str, Any]
    """The fields of `Described`."""


@dataclass(frozen=True)
class Draft:
    """A docstring for a symbol that has none."""

    symbol: SymbolRef
    docstring: str


@dataclass
class Drafts:
    """Drafts, the patch that would insert them, and what got none."""

    style: Style = "google"
    subjects: list[Subject] = field(default_factory=list[Subject])
    """What could have one; `drafts` are of those for which words were given."""
    drafts: list[Draft] = field(default_factory=list[Draft])
    refused: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """(place, reason): nothing is left out silently."""
    patch: str = ""


def style_in_use(index: Index) -> Style:
    """Return the style which most docstrings of a code base have; google's if none."""
    rows = index.connection.execute("SELECT docstring FROM symbols WHERE documented = 1")
    return style_of(row[0] for row in rows)


def place_of(symbol: SymbolRef) -> Place:
    """Return where a draft for a symbol belongs."""
    return symbol.path, MODULE if symbol.kind == "module" else symbol.line


def draft_docstrings(
    index: Index,
    symbols: Iterable[SymbolRef],
    *,
    style: Style | None = None,
    words: Mapping[Place, Mapping[str, Any]] | None = None,
) -> Drafts:
    """Describe symbols, each file in the parsing process, and draft for those in `words`.

    `style` None is the one in use.
    """
    by_path: dict[str, list[SymbolRef]] = {}
    for symbol in symbols:
        by_path.setdefault(symbol.path, []).append(symbol)
    result = Drafts(style or style_in_use(index))
    patches: list[str] = []
    with Parser() as parser:
        for path, wanted in sorted(by_path.items()):
            said = {line: dict(text) for (of, line), text in (words or {}).items() if of == path}
            patches.append(_draft_file(index, path, wanted, said, parser, result))
    result.patch = "".join(patches)
    return result


def _draft_file(
    index: Index,
    path: str,
    wanted: list[SymbolRef],
    words: Mapping[int, dict[str, Any]],
    parser: Parser,
    result: Drafts,
) -> str:
    try:
        source = read_source(index.root, path)
    except UnreadableSourceError as error:
        result.refused.append((path, error.reason))
        return ""
    digest = hashlib.sha256(source).hexdigest()
    known = index.connection.execute("SELECT sha256 FROM files WHERE path = ?", (path,)).fetchone()
    if known is None or known[0] != digest:
        result.refused.append((path, CHANGED))
        return ""
    symbols = {place_of(symbol)[1]: symbol for symbol in wanted}
    question = {
        "do": "draft",
        "path": path,
        "wanted": sorted(symbols),
        "style": result.style,
        "words": words,
    }
    answer = parser.ask(question, source)
    if isinstance(answer, Failure):
        result.refused.append((path, answer.error))
        return ""
    message, _ = answer
    drafts, described = message["drafts"], message["described"]
    result.subjects += [
        Subject(symbols[int(place)], described[place]) for place in sorted(described, key=int)
    ]
    result.drafts += [
        Draft(symbols[int(place)], drafts[place]) for place in sorted(drafts, key=int)
    ]
    result.refused += [
        (symbols[int(place)].place, reason)
        for place, reason in sorted(message["refused"].items(), key=lambda item: int(item[0]))
    ]
    return str(message["patch"])
