"""The facts of one module, as plain rows that travel between processes."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Literal

from minerva_insilico.core.facts.field_owner import LONE_TEXT, Owner, Siblings, spell_owner
from minerva_insilico.core.facts.identifier_words import symbol_words
from minerva_insilico.core.facts.signature import Definition, signature_of, text_of
from minerva_insilico.core.flows.sink import SinkKind
from minerva_insilico.core.visitors.scope import UNPROVEN, Scope
from minerva_insilico.core.visitors.value_binding import (
    all_bound,
    binding_of,
    binding_of_annotation,
    is_none,
)

UseKind = Literal["attribute", "dict_key", "keyword", "name", "sql_string", "string"]
"""The place of a name: `patient.X` or a class field, `row["X"]`, `f(X=…)`, a plain variable on its
way to a log, a column in SQL, a literal that is just the name."""

Guard = Literal["", "fallback", "lazy", "type_checking"]
"""The condition of an import: none, a caught `ImportError`, a call of the function around it, or a
type checker."""

_MAX_NAME_CHARACTERS = 80
_MAX_OWNER_CHARACTERS = 400
"""The most owners of one name on one line. Lines of generated code have hundreds."""
_LITERALS = frozenset(f"builtins.{name}()" for name in ("bool", "float", "int", "str"))
"""What no row is kept of: constants are many, and nobody asks who calls their methods."""
_SYMBOL_ROW = attrgetter(
    *("qualname", "kind", "line", "end_line", "signature", "decorators", "docstring"),
    *("is_documented", "complexity"),
)


@dataclass
class Symbol:
    """A module, class, function or method."""

    qualname: str
    kind: str
    line: int
    end_line: int
    signature: str = ""
    decorators: list[str] = field(default_factory=list[str])
    docstring: str | None = None
    is_documented: bool = False
    complexity: int = 1
    owner: int = -1


@dataclass(frozen=True)
class Call:
    """A call, its binding not resolved before the whole module was read."""

    line: int
    symbol: int
    name: str
    function: ast.expr
    scope: Scope


@dataclass
class Facts:
    """The definitions, calls, imports and uses of one module."""

    lines: int
    symbols: list[Symbol] = field(default_factory=list[Symbol])
    calls: list[Call] = field(default_factory=list[Call])
    imports: list[tuple[int, str, str, str, str, Guard]] = field(
        default_factory=list[tuple[int, str, str, str, str, Guard]]
    )
    uses: dict[tuple[str, str, int], list[Any]] = field(
        default_factory=dict[tuple[str, str, int], list[Any]]
    )
    scopes: list[tuple[str, Scope]] = field(default_factory=list[tuple[str, Scope]])
    """The module and its classes."""
    return_annotations: list[tuple[str, ast.expr, Scope]] = field(
        default_factory=list[tuple[str, ast.expr, Scope]]
    )
    """The annotations of what functions return, by the name that they are kept under."""
    outline: list[list[Any]] = field(default_factory=list[list[Any]])
    bases: list[list[Any]] = field(default_factory=list[list[Any]])
    models: list[list[Any]] = field(default_factory=list[list[Any]])

    flows: list[list[Any]] = field(default_factory=list[list[Any]])
    constants: list[list[Any]] = field(default_factory=list[list[Any]])
    declarations: list[list[Any]] = field(default_factory=list[list[Any]])

    def define(self, node: Definition, *, qualname: str, kind: str, owner: int) -> int:
        """Add a symbol and return its number."""
        docstring = ast.get_docstring(node)
        symbol = Symbol(qualname, kind, 1, self.lines, owner=owner, docstring=docstring)
        symbol.is_documented = docstring is not None and bool(docstring.strip())
        if not isinstance(node, ast.Module):
            symbol.line, symbol.end_line = node.lineno, node.end_lineno or node.lineno
            symbol.signature = signature_of(node)
            symbol.decorators = [text_of(item) for item in node.decorator_list]
        self.symbols.append(symbol)
        return len(self.symbols) - 1

    def use(
        self,
        name: str,
        kind: UseKind,
        line: int,
        symbol: int,
        *,
        sink: SinkKind | None = None,
        tables: str = "",
        owner: Owner = "",
    ) -> None:
        """Note a use, once a line. A use that reaches a sink replaces one that does not."""
        if 0 < len(name) <= _MAX_NAME_CHARACTERS:
            before = self.uses.get((name, kind, line))
            if before is None:
                self.uses[name, kind, line] = [symbol, sink, tables, owner]
                return
            if sink and not before[1]:
                before[0], before[1] = symbol, sink
            before[3] = _joined(before[3], owner, kind)

    def rows(self, path: str) -> dict[str, Any]:
        """Return everything as JSON rows, bindings resolved and complexity summed."""
        self._complete_classes()
        return {
            "lines": self.lines,
            "symbols": list(map(_SYMBOL_ROW, self.symbols)),
            "calls": [
                [call.line, call.symbol, call.name, binding_of(call.function, call.scope)]
                for call in self.calls
            ],
            "types": list(self._types()),
            "imports": self.imports,
            "uses": [
                [line, symbol, name, kind, sink, tables, spell_owner(owners)]
                for (name, kind, line), (symbol, sink, tables, owners) in self.uses.items()
            ],
            "bases": self.bases,
            "models": self.models,
            "flows": self.flows,
            "constants": self.constants,
            "declared": self.declarations,
            "outline": self.outline,
            **self._words(path),
        }

    def _types(self) -> Iterator[list[str]]:
        """Yield what attributes, variables of the module and calls of functions are bound to."""
        found: dict[str, list[str]] = {}
        for around, scope in self.scopes:
            for name in scope.names_with_values():
                values = scope.own_values(name)
                if values and all(map(is_none, (node for node, _, _ in values.values))):
                    continue  # nothing yet
                binding = all_bound(values.values) if values else UNPROVEN
                key = ".".join(filter(None, (around, name.removeprefix("self."))))
                found.setdefault(key, []).append(binding)
        for key, node, scope in self.return_annotations:
            found.setdefault(key, []).append(binding_of_annotation(node, scope))
        for key, bindings in found.items():
            if (
                UNPROVEN not in bindings
                and len(set(bindings)) == 1
                and bindings[0] not in _LITERALS
            ):
                yield [key, bindings[0]]

    def _words(self, path: str) -> dict[str, Any]:
        """Return the words under which symbols and docstrings are found."""
        around = path.removesuffix(".py")
        return {
            "words": [
                symbol_words(one.qualname or around, around, one.docstring) for one in self.symbols
            ],
            "outline_words": [symbol_words(row[0], around, None) for row in self.outline],
            "sections": [
                [one.line, one.end_line, "docstring", one.qualname, one.docstring]
                for one in self.symbols
                if one.is_documented
            ],
        }

    def _complete_classes(self) -> None:
        """Give classes the complexity of radon: the mean of their methods, plus one."""
        methods: dict[int, list[int]] = {}
        for symbol in self.symbols:
            if symbol.kind == "method":
                methods.setdefault(symbol.owner, []).append(symbol.complexity)
        for number, found in methods.items():
            total = self.symbols[number].complexity + sum(found)
            self.symbols[number].complexity = total // len(found) + (len(found) > 1)


def _joined(before: Owner | list[Owner], owner: Owner, kind: UseKind) -> Owner | list[Owner]:
    """Return the owner of a name that is noted twice on one line.

    An owner that the text shows replaces one that only the names beside it suggest.
    """
    if owner == before or len(spell_owner(before)) > _MAX_OWNER_CHARACTERS:
        return before
    if kind in {"dict_key", "string"} and _is_told(before) != _is_told(owner):
        return before if _is_told(before) else owner
    return [*before, owner] if isinstance(before, list) else [before, owner]


def _is_told(owner: Owner | list[Owner]) -> bool:
    """True if an owner is more than the names beside the text."""
    if isinstance(owner, list):
        return not isinstance(owner[0], Siblings)
    return not isinstance(owner, Siblings) and owner not in {"", LONE_TEXT}
