"""Draft docstrings for symbols of an index; the sources stay as they are."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from minerva_insilico.core.boundary import read_source
from minerva_insilico.core.fault import UnreadableSourceError
from minerva_insilico.core.index import Index, SymbolRef
from minerva_insilico.core.parser import Failure, Parser


@dataclass(frozen=True)
class Draft:
    """A docstring for a symbol that has none."""

    symbol: SymbolRef
    docstring: str


@dataclass
class Drafts:
    """Drafts, the patch that would insert them, and what got none."""

    drafts: list[Draft] = field(default_factory=list[Draft])
    refused: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """(place, reason): nothing is left out silently."""
    patch: str = ""


def draft_docstrings(index: Index, symbols: Iterable[SymbolRef], *, seconds: float = 4.0) -> Drafts:
    """Draft from the signatures, each file in the parsing process, within `seconds`."""
    by_path: dict[str, list[SymbolRef]] = {}
    for symbol in symbols:
        by_path.setdefault(symbol.path, []).append(symbol)
    result = Drafts()
    patches: list[str] = []
    with Parser(seconds=seconds) as parser:
        for path, wanted in sorted(by_path.items()):
            patch = _draft_file(index, path, wanted, parser, result)
            patches += [patch] if patch else []
    result.patch = "".join(patches)
    return result


def _draft_file(
    index: Index, path: str, wanted: list[SymbolRef], parser: Parser, result: Drafts
) -> str:
    try:
        source = read_source(index.root, path)
    except UnreadableSourceError as error:
        result.refused.append((path, error.reason))
        return ""
    known = index.connection.execute("SELECT sha256 FROM files WHERE path = ?", (path,)).fetchone()
    if known is None or known[0] != hashlib.sha256(source).hexdigest():
        result.refused.append((path, "it changed since it was indexed"))
        return ""
    module = index.modules.names[path]
    names = {_inner_name(symbol, module): symbol for symbol in wanted}
    answer = parser.ask({"do": "draft", "path": path, "wanted": list(names)}, source)
    if isinstance(answer, Failure):
        result.refused.append((path, answer.error))
        return ""
    message, _ = answer
    result.drafts += [Draft(names[name], docstring) for name, docstring in message["drafts"]]
    for name in message["refused"]:
        reason = "inserting a docstring would change its meaning"
        result.refused.append((names[name].place, reason))
    return str(message["patch"])


def _inner_name(symbol: SymbolRef, module: str) -> str:
    if symbol.kind == "module":
        return ""
    return symbol.qualname.removeprefix(f"{module}.") if module else symbol.qualname
