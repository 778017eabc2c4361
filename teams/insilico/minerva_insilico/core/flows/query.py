"""Queries on their way to a sink: the columns whose values the rows of a `SELECT` give.

A function that masks, hashes or counts ends the flow in SQL as it does in Python. A statement that
sqlglot cannot parse gives nothing, because its columns are not known in their order.
"""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from minerva_insilico.core.facts.log_calls import callee_name, name_chain
from minerva_insilico.core.facts.vocabulary import masks, words
from minerva_insilico.core.fields.sql import HOLE, trees_of, without_comments
from minerva_insilico.core.flows.assignments import values_at
from minerva_insilico.core.visitors.scope import Scope

_MAX_STEPS = 6
_MAX_CHARACTERS = 20_000
_OPENS = re.compile(r"[\s(]*(?:SELECT|WITH|COPY)\b", re.IGNORECASE)
_OUTFILE = re.compile(
    r"\bINTO\s+(?:OUTFILE|DUMPFILE)\s+'([^']*)'[^()]*?(?=\bFROM\b|\Z)", re.IGNORECASE
)
_COPY = re.compile(
    r"""
    \s*COPY\s*
    (?: \( (?P<query>.+) \) | (?P<table>[\w."]+) \s* (?: \( (?P<columns>[^()]*) \) )? )
    \s*TO\s+(?:'(?P<file>[^']*)'|STDOUT|PROGRAM\b)
    """,
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


class Output(NamedTuple):
    """What one place of a row holds: values of columns, or all columns of tables."""

    columns: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    suspect: bool = False


class Query(NamedTuple):
    """What the rows of a statement hold, and the file that the database itself writes."""

    outputs: tuple[Output, ...]
    file: str | None = None
    """The file's path, "" if it is not named; None if the statement writes none."""


def query_of(node: ast.expr, scope: Scope, line: int) -> Query | None:
    """Return what a call that runs SQL selects, or None if its text tells no `SELECT`."""
    if not isinstance(node, ast.Call) or not node.args:
        return None
    function = node.func
    name = callee_name(function)
    if name not in words("sinks", "queries", "statements") | words("sinks", "queries", "calls"):
        return None
    text = _text(node.args[0], scope, line, _MAX_STEPS)
    return read_query(text) if text else None


@lru_cache(maxsize=256)
def read_query(text: str) -> Query | None:
    """Return what a statement selects, or None if it is no query that can be read."""
    text = without_comments(text)
    if len(text) > _MAX_CHARACTERS or not _OPENS.match(text):
        return None
    copied = _COPY.match(text)
    if copied:
        file = copied["file"] or ""
        if copied["query"]:
            return Query(_outputs_in(copied["query"]), file)
        table = copied["table"].rpartition(".")[2].strip('"')
        named = [one.strip(' "') for one in (copied["columns"] or "").split(",")]
        columns = tuple(Output((one,)) for one in named if one)
        return Query(columns or (Output(tables=(table,)),), file)
    written = _OUTFILE.search(text)
    outputs = _outputs_in(_OUTFILE.sub(" ", text))
    return Query(outputs, written[1] if written else None) if outputs else None


def _outputs_in(text: str) -> tuple[Output, ...]:
    from sqlglot import exp  # noqa: PLC0415 - 0.3 s, only if there is SQL

    trees = trees_of(text) or []
    query = next((tree for tree in trees if isinstance(tree, exp.Query)), None)
    return tuple(_outputs(query)) if query is not None else ()


def _outputs(query: Any) -> Iterator[Output]:
    from sqlglot import exp  # noqa: PLC0415

    tables = {str(one.alias_or_name).lower(): str(one.name) for one in query.find_all(exp.Table)}
    for given in query.selects:
        value = given.unalias()
        if given.is_star:
            whose = str(value.table).lower() if isinstance(value, exp.Column) else ""
            inner = _inner(query, whose)
            if inner is not None:
                yield from _outputs(inner)
            else:
                known = [tables[whose]] if whose in tables else list(tables.values())
                yield Output(tables=tuple(dict.fromkeys(one for one in known if one != HOLE)))
        else:
            yield _output(value)


def _inner(query: Any, name: str) -> Any:
    """Return the query in brackets or in `WITH` that `*` stands for, or None."""
    from sqlglot import exp  # noqa: PLC0415

    source = query.args.get("from_") or query.args.get("from")
    if source is None or query.args.get("joins"):
        return None
    found = source.this
    if name and str(found.alias_or_name).lower() != name:
        return None
    if isinstance(found, exp.Subquery):
        return found.unnest() if isinstance(found.unnest(), exp.Query) else None
    named = {str(one.alias).lower(): one.this for one in query.ctes}
    return named.get(str(found.name).lower())


def _output(value: Any) -> Output:
    from sqlglot import exp  # noqa: PLC0415

    nodes = list(value.walk())
    functions = [_name(one) for one in nodes if isinstance(one, exp.Func)]
    is_said = any(isinstance(one, exp.AggFunc | exp.Predicate | exp.Window) for one in nodes)
    if is_said or any(map(masks, functions)):
        return Output()
    columns = [str(one.name) for one in nodes if isinstance(one, exp.Column) and one.name]
    keeps = words("sinks", "queries", "keeps")
    is_plain = all(name in keeps for name in functions) and not isinstance(value, exp.Case)
    return Output(tuple(dict.fromkeys(columns)), suspect=not is_plain)


def _name(function: Any) -> str:
    from sqlglot import exp  # noqa: PLC0415

    name = function.name if isinstance(function, exp.Anonymous) else function.sql_name()
    return str(name).lower()


def _text(node: ast.expr | None, scope: Scope, line: int, steps: int) -> str:
    """Return the text of a statement as far as the module tells it, with holes for the rest."""
    if node is None or not steps:
        return ""
    text = ""
    inner: ast.expr | None = None
    match node:
        case ast.Constant(value=str(text)):
            pass
        case ast.JoinedStr(values=values):
            parts = (one.value if isinstance(one, ast.Constant) else HOLE for one in values)
            text = "".join(map(str, parts))
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            first = _text(left, scope, line, steps - 1)
            text = first and first + (_text(right, scope, line, steps - 1) or HOLE)
        case ast.BinOp(op=ast.Mod(), left=inner):
            pass
        case ast.Call(func=ast.Attribute(value=inner, attr="format" | "strip")):
            pass
        case ast.Call(func=function, args=[first_argument, *_]):
            is_text = words("sinks", "queries", "texts") & set(name_chain(function)[-1:])
            inner = first_argument if is_text else None
        case ast.Name() | ast.Attribute():
            text = _read_name(node, scope, line, steps)
        case _:
            pass
    return text or _text(inner, scope, line, steps - 1)


def _read_name(node: ast.Name | ast.Attribute, scope: Scope, line: int, steps: int) -> str:
    chain = name_chain(node)
    if len(chain) == 2 and chain[0] in {"self", "cls"}:  # noqa: PLR2004 - self.NAME
        held = [*scope.assignments_of(f"self.{chain[1]}"), *scope.assignments_in_class(chain[1])]
    else:
        found = scope.assignments_of(chain[0]) if len(chain) == 1 else ()
        # A constant of the module may stand below the function that uses it.
        held = values_at(found, line) or [one for one in found if not one.grows]
    return _text(held[-1].value, scope, line, steps - 1) if held else ""
