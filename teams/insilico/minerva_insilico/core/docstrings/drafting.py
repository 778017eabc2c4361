"""Draft docstrings for symbols of an index, in given words. The sources do not change."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from minerva_insilico.core.docstrings.docstyle import Style, style_of
from minerva_insilico.core.facts.errors import UnreadableSourceError
from minerva_insilico.core.facts.language import PYTHON
from minerva_insilico.core.facts.readable_files import read_source
from minerva_insilico.core.facts.signature import MODULE
from minerva_insilico.core.facts.unread import unread_text
from minerva_insilico.core.index.index import Index, SymbolRef
from minerva_insilico.core.parsing.masked_source import masked_source
from minerva_insilico.core.parsing.parser import Failure, Parser

Place = tuple[str, int]
"""A path, and the line of a definition in it (0 for the module itself)."""


@dataclass(frozen=True)
class Subject:
    """A symbol without a docstring, and the parts that one must have."""

    symbol: SymbolRef
    described: dict[str, Any]
    """The fields of `RequiredParts`."""


@dataclass(frozen=True)
class Draft:
    """A docstring for a symbol that has none."""

    symbol: SymbolRef
    docstring: str


@dataclass(frozen=True)
class Drafts:
    """Drafts, the patch that would insert them, and what got none."""

    style: Style = "google"
    subjects: tuple[Subject, ...] = ()
    """The symbols that could have a docstring. `drafts` are those with given words."""
    drafts: tuple[Draft, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    """(place, reason): nothing is left out silently."""
    patch: str = ""


def style_in_use(index: Index) -> Style:
    """Return the style of most docstrings of a code base; Google's if there are none."""
    rows = index.connection.execute("SELECT docstring FROM symbols WHERE documented = 1")
    return style_of(row[0] for row in rows)


def place_of(symbol: SymbolRef) -> Place:
    """Return the place of a draft for a symbol."""
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
    style = style or style_in_use(index)
    parts: list[Drafts] = []
    with Parser() as parser:
        for path, wanted in sorted(by_path.items()):
            said = {line: dict(text) for (of, line), text in (words or {}).items() if of == path}
            try:
                source = _indexed_source(index, path)
            except UnreadableSourceError as error:
                reason = unread_text(error.reason, "en")
                parts.append(Drafts(style, refused=((path, reason),)))
                continue
            parts.append(_draft_file(path, source, wanted, said, style, parser))
    return Drafts(
        style,
        subjects=tuple(item for part in parts for item in part.subjects),
        drafts=tuple(item for part in parts for item in part.drafts),
        refused=tuple(item for part in parts for item in part.refused),
        patch="".join(part.patch for part in parts),
    )


def _indexed_source(index: Index, path: str) -> bytes:
    """Return a source as it was when it was indexed, masked as the index has it.

    A patch has three lines around each change; where one of them is masked, it does not apply.

    Raises:
        UnreadableSourceError: it changed since, or may not be read.
    """
    source = read_source(index.root, path)
    known = index.connection.execute("SELECT sha256 FROM files WHERE path = ?", (path,)).fetchone()
    if known is None or known[0] != hashlib.sha256(source).hexdigest():
        raise UnreadableSourceError(path, "changed")
    return masked_source(source, PYTHON)


def _draft_file(  # one file's part of what is asked
    path: str,
    source: bytes,
    symbols: list[SymbolRef],
    words: Mapping[int, dict[str, Any]],
    style: Style,
    parser: Parser,
) -> Drafts:
    symbol_by_line = {place_of(symbol)[1]: symbol for symbol in symbols}
    question = {
        "do": "draft",
        "path": path,
        "wanted": sorted(symbol_by_line),
        "style": style,
        "words": words,
    }
    answer = parser.ask(question, source)
    if isinstance(answer, Failure):
        return Drafts(style, refused=((path, answer.error),))
    message, _ = answer
    # JSON has turned the lines, which are the keys, into text: "10" would sort before "9".
    described, drafts, refused = (
        sorted((int(line), item) for line, item in message[key].items())
        for key in ("described", "drafts", "refused")
    )
    return Drafts(
        style,
        subjects=tuple(Subject(symbol_by_line[line], item) for line, item in described),
        drafts=tuple(Draft(symbol_by_line[line], text) for line, text in drafts),
        refused=tuple((symbol_by_line[line].place, reason) for line, reason in refused),
        patch=str(message["patch"]),
    )
