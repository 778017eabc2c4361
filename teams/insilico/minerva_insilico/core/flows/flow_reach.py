"""Which fields reach a sink, over the whole tree: models, helpers and addresses of other modules.

The rows of an index know one module each. Here a whole object becomes the fields of its model, what
a helper lets out becomes what its callers give it (one call deep, proved by imports), and the name
of a constant becomes the host that it holds.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, cast

from minerva_insilico.core.facts.field_owner import KnownClass, Origin, read_owners
from minerva_insilico.core.fields.declared import DeclaredField
from minerva_insilico.core.flows.destination import CONSTANT
from minerva_insilico.core.flows.sink import SinkKind
from minerva_insilico.core.flows.source import LITERAL
from minerva_insilico.core.index.index import Index, Page
from minerva_insilico.core.index.store import source_text
from minerva_insilico.core.parsing.parser import Failure, Parser
from minerva_insilico.core.queries.caller import find_callers

MAX_HELPERS = 300
"""Functions that let out what they are given, whose callers are looked at."""
_MAX_CALLERS = 200
_MAX_HOPS = 4
_ANY_NAME: frozenset[str] = frozenset({"file", "http", "logging", "print", "queue"})
"""Sinks of which also names are told that no model declares. Messages of exceptions and templates
are full of such names."""
_SELECT = (
    "SELECT f.path, w.line, CASE WHEN s.qualname = '' THEN f.module"
    " ELSE f.module || '.' || s.qualname END, w.name, w.kind, w.sink, w.destination, w.via,"
    " w.suspected, w.owner FROM flows AS w JOIN files AS f ON f.id = w.file"
    " JOIN symbols AS s ON s.id = w.symbol"
)
_HOSTS_OF = (
    "SELECT DISTINCT c.host, f.path FROM constants AS c JOIN files AS f ON f.id = c.file"
    " WHERE c.name = ?"
)


@dataclass(frozen=True)
class Flow:
    """A field whose value reaches a sink."""

    name: str
    path: str
    line: int
    kind: str
    symbol: str
    sink: SinkKind
    destination: str = ""
    """The host of a request, the name of a queue, a template or a file, a class of exceptions."""
    via: str = ""
    """What it passes through: a variable, `line_of()`, `Patient.*` for a whole object."""
    suspect: bool = False
    owner: str = ""
    snippet: str = ""


def reached_sinks(
    index: Index, fields: Sequence[DeclaredField], columns: Iterable[tuple[str, str]], *, limit: int
) -> Page[Flow]:
    """Return the flows of declared fields, of `columns`, and of names in sinks that leave.

    `columns` are tables with their columns, as a schema has them. What is certain comes before what
    is suspected; then by path and line.
    """
    columns = list(columns)
    models = _Models(fields, columns)
    asked = {name.casefold(): name for _, name in columns}
    wanted = {one.field.casefold() for one in fields} | asked.keys()
    wanted |= {one.column.casefold() for one in fields if one.column}
    rows = [_flow(row) for row in index.connection.execute(f"{_SELECT} ORDER BY w.rowid")]
    helpers = _Helpers(index)
    given = helpers.find_arguments([row for row in rows if row.kind == "parameter"])
    found: dict[tuple[str, int, str, str], Flow] = {}
    for row in (*rows, *given):
        for flow in models.fields_of(row):
            if flow.kind == "parameter":
                continue
            is_told = flow.name.casefold() in wanted or flow.name == LITERAL
            if not is_told and flow.sink not in _ANY_NAME:
                continue
            key = (flow.path, flow.line, flow.name.casefold(), flow.sink)
            before = found.get(key)
            if before is None or _rank(flow) < _rank(before):
                found[key] = replace(flow, name=asked.get(key[2], flow.name))
    ordered = sorted(
        found.values(),
        key=lambda one: (
            one.suspect, one.name.casefold() not in wanted, one.path, one.line, one.name,
        ),
    )  # fmt: skip
    hosts = _Hosts(index)
    return Page(
        tuple(
            replace(
                one,
                destination=hosts.resolve(one.destination, one.path),
                snippet=index.snippet(one.path, one.line),
            )
            for one in ordered[:limit]
        ),
        len(ordered) + helpers.unseen,
    )


def _rank(flow: Flow) -> tuple[bool, bool, bool]:
    return flow.suspect, flow.kind == "name", bool(flow.via)


def _flow(row: Sequence[Any]) -> Flow:
    path, line, symbol, name, kind, sink, destination, via, suspected, owner = row
    return Flow(
        name, path, line, kind, symbol, cast("SinkKind", sink), destination, via, bool(suspected),
        owner,
    )  # fmt: skip


class _Models:
    """The fields of each model by the names that objects of it may have, and of each table."""

    def __init__(self, fields: Sequence[DeclaredField], columns: Iterable[tuple[str, str]]) -> None:
        self._by_class: dict[str, list[DeclaredField]] = {}
        self._by_table: dict[str, dict[str, None]] = {}
        for table, column in columns:
            self._by_table.setdefault(_bare(table), {})[column] = None
        known = set(self._by_table)
        self._leads_to: dict[str, set[str]] = {}
        for one in fields:
            self._by_class.setdefault(one.model, []).append(one)
            if one.table and _bare(one.table) not in known:
                self._by_table.setdefault(_bare(one.table), {})[one.column or one.field] = None
        self._by_variable = {name.replace("_", "").casefold(): name for name in self._by_class}
        for one in fields:
            for named in (one.relation, *re.findall(r"\w+", one.type)):
                if named in self._by_class:
                    self._leads_to.setdefault(one.field, set()).add(named)

    def fields_of(self, row: Flow) -> Iterator[Flow]:
        """Yield a flow as it is, or a whole object or row as the fields of its model or table."""
        if row.kind == "table":
            for name in self._by_table.get(_bare(row.name), ()):
                yield replace(row, name=name, kind="sql_string", via=f"{row.name}.*")
            return
        if row.kind != "object":
            yield row
            led = self._leads_to.get(row.name, set()) if row.kind == "attribute" else set[str]()
            for model in sorted(led)[:1]:
                yield from self._all_of(model, row, suspect=True)
            return
        for owner in read_owners(row.owner)[:1]:
            if isinstance(owner, KnownClass):
                model = owner.model or owner.name
                if model in self._by_class:
                    yield from self._all_of(model, row, suspect=row.suspect)
            elif isinstance(owner, str | Origin):
                model = self._of_variable(owner if isinstance(owner, str) else owner.hint)
                if model:
                    yield from self._all_of(model, row, suspect=True)

    def _all_of(self, model: str, row: Flow, *, suspect: bool) -> Iterator[Flow]:
        for one in self._by_class[model]:
            yield replace(row, name=one.field, via=f"{model}.*", suspect=suspect)

    def _of_variable(self, name: str) -> str:
        folded = name.lstrip(".").replace("_", "").casefold()
        found = self._by_variable.get(folded) or self._by_variable.get(folded.removesuffix("s"))
        return found or ""


def _bare(table: str) -> str:
    return table.rpartition(".")[2].strip('"`').casefold()


class _Helpers:
    """Finds what callers give to a parameter that reaches a sink."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self.unseen = 0
        """Functions, calls and files that were not looked at because of a limit."""

    def find_arguments(self, rows: Sequence[Flow]) -> list[Flow]:
        by_function: dict[str, list[Flow]] = {}
        for row in rows:
            qualname = row.owner.rpartition(":")[0]
            module = self._index.modules.names.get(row.path, "")
            function = f"{module}.{qualname}" if module else qualname
            by_function.setdefault(function, []).append(row)
        self.unseen += max(0, len(by_function) - MAX_HELPERS)
        asked: dict[str, dict[tuple[int, str], list[Flow]]] = {}
        for function, flows in sorted(by_function.items())[:MAX_HELPERS]:
            name = function.rpartition(".")[2]
            if name == "__init__":
                continue  # what makes an object is no helper
            found = find_callers(self._index, function, limit=_MAX_CALLERS)
            self.unseen += found.total - found.shown
            for hit in found.items:
                if hit.why == "exact":
                    calls = asked.setdefault(hit.path, {})
                    calls.setdefault((hit.line, name), []).extend(flows)
        return list(self._read_calls(asked)) if asked else []

    def _read_calls(self, asked: dict[str, dict[tuple[int, str], list[Flow]]]) -> Iterator[Flow]:
        """Parse the callers' files again, and ask for the arguments of their calls."""
        with ExitStack() as stack:
            parser = stack.enter_context(Parser())
            for path, calls in sorted(asked.items()):
                row = self._index.connection.execute(
                    "SELECT source FROM files WHERE path = ? AND source NOTNULL", (path,)
                ).fetchone()
                lines = sorted({line for line, _ in calls})
                message = {"do": "arguments", "path": path, "lines": lines}
                answer = parser.ask(message, source_text(row[0]).encode()) if row else None
                if answer is None or isinstance(answer, Failure):
                    self.unseen += 1
                else:
                    yield from _flows_of_arguments(self._index, path, calls, answer[0]["rows"])


def _flows_of_arguments(
    index: Index, path: str, calls: dict[tuple[int, str], list[Flow]], rows: Iterable[Sequence[Any]]
) -> Iterator[Flow]:
    """Yield the flows of arguments, each with the sink of the helper that takes it."""
    module = index.modules.names.get(path, "")
    given = list(rows)
    for (line, function), flows in calls.items():
        for flow in dict.fromkeys(flows):
            place = int(flow.owner.rpartition(":")[2])
            for at, called, position, keyword, symbol, name, kind, via, suspected, owner in given:
                is_call = at == line and called == function
                if not is_call or (keyword != flow.name if keyword else position != place):
                    continue
                around = f"{module}.{symbol}" if module and symbol else (module or symbol)
                yield Flow(
                    name, path, line, kind, around, flow.sink, flow.destination,
                    via or f"{function}()", bool(suspected) or flow.suspect, owner,
                )  # fmt: skip


class _Hosts:
    """Looks up the addresses that constants hold."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._hosts: dict[tuple[str, str], str] = {}

    def resolve(self, destination: str, path: str) -> str:
        """Return the host of a constant, or the constant's name if none is known."""
        if not destination.startswith(CONSTANT):
            return destination
        key = (destination, path)
        if key not in self._hosts:
            binding = destination.removeprefix(CONSTANT)
            self._hosts[key] = self._follow(binding, path, _MAX_HOPS) or _shown(binding)
        return self._hosts[key]

    def _follow(self, binding: str, path: str, hops: int) -> str:
        if not hops:
            return ""
        located = self._index.modules.locate(binding, path)
        if located is not None and located[1]:
            there, name = located
            rows = self._rows(name.rpartition(".")[2], "=", there)
            if not rows:
                bound = self._index.connection.execute(
                    "SELECT i.binding FROM imports AS i JOIN files AS f ON f.id = i.file"
                    " WHERE f.path = ? AND i.bound = ? LIMIT 1", (there, name.partition(".")[0]),
                ).fetchone()  # fmt: skip
                if bound and bound[0]:
                    rest = name.partition(".")[2]
                    again = f"{bound[0]}.{rest}" if rest else bound[0]
                    return self._follow(again, there, hops - 1)
        elif "settings" in binding.split(".") or "config" in binding.lower():
            rows = self._rows(binding.rpartition(".")[2], "LIKE", "%settings%")
            rows = rows or self._rows(binding.rpartition(".")[2], "LIKE", "%conf%")
        else:
            return ""
        hosts = {
            self._follow(host.removeprefix(CONSTANT), there, hops - 1)
            if host.startswith(CONSTANT)
            else host
            for host, there in rows
        }
        return ", ".join(sorted(filter(None, hosts)))

    def _rows(self, name: str, operator: str, value: str) -> list[tuple[str, str]]:
        return self._index.connection.execute(
            f"{_HOSTS_OF} AND f.path {operator} ? LIMIT 5",
            (name, value),
        ).fetchall()


def _shown(binding: str) -> str:
    """Return `settings.SMS_URL` of `django.conf.settings.SMS_URL`."""
    return ".".join(binding.lstrip(".").split(".")[-2:])
