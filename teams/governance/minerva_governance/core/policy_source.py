"""Load YAML as plain data that remembers on which line each value stands.

Built on `yaml.compose`: the file becomes a tree of nodes and no constructor of its choosing
ever runs. A tag beyond YAML's plain types, an alias, a repeated key or a file too large or too
deep is an error with its line.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

MAX_BYTES = 262_144
"""A policy of 6,000 lines fits; a file of nothing but list items loads in 2 s."""
_PLAIN = {
    f"tag:yaml.org,2002:{name}"
    for name in ("str", "int", "float", "bool", "null", "timestamp", "map", "seq")
}

Scalar = str | int | float | bool | dt.date | None
Place = tuple[str | int, ...]
"""The way to a value: ("rules", 0, "id")."""


class SourceError(Exception):
    """A YAML file that cannot be loaded. The text starts with `file:line:`."""

    def __init__(self, path: Path, line: int, reason: str) -> None:
        self.path, self.line, self.reason = path, line, reason
        super().__init__(f"{path.name}:{line}: {reason}")


@dataclass(frozen=True)
class Source:
    """A loaded file: plain dicts, lists and scalars, and the line of each."""

    path: Path
    data: object
    lines: Mapping[Place, int] = field(default_factory=dict[Place, int])

    def line(self, *place: str | int) -> int:
        """Return the line of `place`, or of the nearest thing around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


def load_source(path: Path) -> Source:
    """Return the YAML at `path`.

    Raises:
        SourceError: not YAML, not plain, too large, or not readable.
    """
    text = _text(path)
    reader = _Reader(path)
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        data = reader.value(node, ()) if node is not None else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise SourceError(
            path, line, f"not YAML: {error.problem or 'it ends too early'}."
        ) from None
    except yaml.YAMLError:
        raise SourceError(path, 1, "not YAML: it holds characters that YAML forbids.") from None
    except RecursionError:
        raise SourceError(path, 1, "nested too deeply.") from None
    return Source(path, data, reader.lines)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        reason = f"cannot be opened ({error.strerror or type(error).__name__})."
        raise SourceError(path, 1, reason) from None
    if len(data) > MAX_BYTES:
        raise SourceError(path, 1, f"larger than {MAX_BYTES:,} bytes; split it.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(path, line, "not UTF-8; save the file as UTF-8.") from None


class _Reader:
    """Turns nodes into plain data and notes their lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: dict[Place, int] = {}
        self._seen: set[int] = set()
        self._scalars = yaml.constructor.SafeConstructor()

    def value(self, node: yaml.Node, place: Place) -> object:
        line = node.start_mark.line + 1
        self.lines.setdefault(place, line)
        if id(node) in self._seen:
            raise SourceError(self.path, line, "an alias (`*name`); write the value out.")
        self._seen.add(id(node))
        if node.tag not in _PLAIN:
            raise SourceError(
                self.path, line, "a tag (`!…`) or merge key; only plain YAML is read."
            )
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, place)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*place, index)) for index, item in enumerate(node.value)]
        return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, object]:
        found: dict[str, object] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode) or key_node.tag not in _PLAIN:
                raise SourceError(self.path, line, "a key that is not plain text.")
            key = str(key_node.value)
            if key in found:
                raise SourceError(self.path, line, f"the key `{key}` stands here twice.")
            self.lines[*place, key] = line
            found[key] = self.value(value_node, (*place, key))
        return found

    def _scalar(self, node: yaml.Node) -> Scalar:
        try:
            value = self._scalars.construct_object(node)
        except (ValueError, yaml.YAMLError):
            line = node.start_mark.line + 1
            raise SourceError(self.path, line, "a value that is no date or number.") from None
        if isinstance(value, dt.datetime):
            return value.date()
        if value is None or isinstance(value, str | int | float | bool | dt.date):
            return value
        return str(value)
