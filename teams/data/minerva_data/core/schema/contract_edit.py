"""Put new names into a contract that somebody keeps: dbt's `schema.yml`, ODCS.

Only names of columns change. Comments, order, quotation marks and unknown keys stay letter by
letter. What else says an old name, a test or a query say, stays too, and is told.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import yaml

from minerva_data.core.schema.declaration import plain_scalar
from minerva_data.core.schema.migration import comment_line, sure_renames
from minerva_data.core.schema.record import Row

_LISTS = frozenset({"columns", "properties"})
_NAMES = ("physicalName", "name")
_WORD = re.compile(r"\w+")

NewNames = Mapping[tuple[str, str], str]
"""New names by table and column, both in small letters."""


def new_names(rows: Iterable[Row]) -> NewNames:
    """Return what a migration renames; a table without its schema is the first one of its name."""
    names: dict[tuple[str, str], str] = {}
    for row in sure_renames(rows).values():
        for table in (row.item.full_table or "", row.item.table or ""):
            key = (table.casefold(), row.item.name.casefold())
            names.setdefault(key, row.physical_name or row.item.name)
    return names


class ContractEdit:
    """The contract in a file that was read before: its `text` with new names."""

    def __init__(self, path: Path, names: NewNames) -> None:
        self._path, self._names = path, names
        self._edits: list[tuple[yaml.ScalarNode, str]] = []
        self._others: list[yaml.ScalarNode] = []
        text = path.read_bytes().decode("utf-8")
        shift = text.startswith("\ufeff")
        self._walk(yaml.compose(text[shift:], Loader=yaml.SafeLoader), "")
        pieces, position = list[str](), 0
        for node, new in sorted(self._edits, key=lambda edit: edit[0].start_mark.index):
            mark = node.style if node.style in {'"', "'"} else ""
            written = f"{mark}{new}{mark}" if mark else plain_scalar(new)
            pieces += [text[position : node.start_mark.index + shift], written]
            position = node.end_mark.index + shift
        self.text = "".join((*pieces, text[position:]))

    def lines(self) -> Iterator[str]:
        """Yield, as comments of SQL, the lines that still say an old name."""
        old = {node.value.casefold(): new for node, new in self._edits}
        for node in self._others:
            words = {word for word in _WORD.findall(node.value) if word.casefold() in old}
            if words:
                said = ", ".join(f"{word} -> {old[word.casefold()]}" for word in sorted(words))
                yield comment_line(f"  {self._path.name}:{node.start_mark.line + 1}: {said}")

    def _walk(self, node: yaml.Node | None, table: str, *, is_column: bool = False) -> None:
        """Look at a node of `table`, "" outside of one."""
        if isinstance(node, yaml.ScalarNode):
            self._others.append(node)
        elif isinstance(node, yaml.SequenceNode):
            for inner in node.value:
                self._walk(inner, table, is_column=is_column)
        elif isinstance(node, yaml.MappingNode):
            fields: dict[str, yaml.Node] = {key.value: value for key, value in node.value}
            if is_column:
                self._rename(fields, table)
            elif not table and fields.keys() & _LISTS:
                table = _name(fields)
            for key, value in fields.items():
                if key != "description":
                    self._walk(value, table, is_column=key in _LISTS)

    def _rename(self, fields: dict[str, yaml.Node], table: str) -> None:
        """Take the names of a column out of its fields, and give them the new one."""
        old = _name(fields)
        new = self._names.get((table.casefold(), old.casefold()))
        for name in _NAMES if new else ():
            node = fields.get(name)
            if isinstance(node, yaml.ScalarNode) and node.value == old:
                self._edits.append((node, new or old))
                del fields[name]


def _name(fields: Mapping[str, yaml.Node]) -> str:
    """Return what a table or a column is called in its database."""
    for node in map(fields.get, _NAMES):
        if isinstance(node, yaml.ScalarNode) and node.value:
            return str(node.value)
    return ""
