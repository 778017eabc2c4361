"""Read YAML as plain data, so that every complaint can name the file and the line.

The file becomes a tree of nodes and no constructor of its choosing ever runs: a configuration
file or a policy can never run code. What would let a file mean more than it shows is refused:
tags, merge keys, aliases, a key that is there twice.
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from minerva_platform.errors import SettingsError, YamlError
from minerva_platform.text.validation_error import fault_text

ModelT = TypeVar("ModelT", bound=BaseModel)
Location = tuple[str | int, ...]
"""The location of a value: `("rules", 2, "severity")`."""

MAX_BYTES = 262_144
"""6,000 lines of a policy fit; a file of nothing but list items loads in 2 s."""
_PLAIN = {
    f"tag:yaml.org,2002:{name}"
    for name in ("str", "int", "float", "bool", "null", "timestamp", "map", "seq")
}


_VARIABLE = re.compile(r"\$\{\w+[^}]*\}")
_MISREAD = (
    (
        ":int",
        re.compile(r"[-+]?\d[\d_]*(:\d+)+"),
        'YAML reads `{text}` as a number of base 60; write seconds, or "{text}" in quotes.',
    ),
    (
        ":float",
        re.compile(r"[-+]?\d[\d_]*(:\d+)+\.\d*"),
        'YAML reads `{text}` as a number of base 60; write seconds, or "{text}" in quotes.',
    ),
    (
        ":int",
        re.compile(r"[-+]?0[0-7_]+"),
        'YAML reads `{text}` as a number of base 8; leave out the zero, or write "{text}".',
    ),
    (
        ":float",
        re.compile(r"[-+]?\.(inf|nan)", re.IGNORECASE),
        "`{text}` is no number that can be counted with; write a number, or leave the key out.",
    ),
)
"""Scalars that YAML 1.1 reads as what hardly anybody means (yaml.org/type/int.html, float.html)."""


@dataclass(frozen=True, slots=True)
class KeysOf:
    """Marks a field whose keys in a file are those of `model`, whatever it is read as."""

    model: type[BaseModel]


@dataclass(frozen=True, slots=True)
class YamlFile:
    """Plain data and the line (from 1) of each key and item in it."""

    path: Path
    data: Any
    lines: Mapping[Location, int]

    def line_of(self, location: Location) -> int:
        """Return the line of `location`, or of the nearest thing around it."""
        place = location
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)

    def as_model(self, model: type[ModelT]) -> ModelT:
        """Return the data as `model`.

        Raises:
            SettingsError: every fault, each with `file:line` and the nearest known key.
        """
        try:
            read = model.model_validate(self.data if self.data is not None else {})
        except ValidationError as error:
            faults = [self._fault(item, model) for item in error.errors(include_url=False)]
            raise SettingsError("\n".join(faults)) from error
        faults = [fault for place in self.lines if (fault := self._misread(place, read))]
        if faults:
            raise SettingsError("\n".join(faults))
        return read

    def _misread(self, location: Location, model: BaseModel) -> str:
        """Return what is wrong with a value that a model takes, and nobody has meant; or nothing.

        YAML reads `on` and `yes` as true, which Python takes for the number 1.
        """
        written, value = _at(self.data, location), _at(model, location)
        where = f"{self.path}:{self.line_of(location)}: `{'.'.join(map(str, location))}`"
        if isinstance(written, bool) and isinstance(value, int | float) and value is not written:
            return f"{where}: YAML reads {str(written).lower()} here; write a number."
        name = _VARIABLE.search(written) if isinstance(written, str) else None
        if name is not None:
            return (
                f"{where}: `{name[0]}` stays as it is, since no variable is put into this file; "
                "write the value. (MINERVA_STORAGE_URL and others go before this file.)"
            )
        return ""

    def _fault(self, item: Any, model: type[BaseModel]) -> str:
        location: Location = item["loc"]
        where = f"{self.path}:{self.line_of(location)}"
        name = ".".join(str(part) for part in location)
        if item["type"] != "extra_forbidden":
            return f"{where}: `{name}`: {fault_text(item)}."
        known = _keys_at(model, location[:-1])
        if not known:
            return f"{where}: unknown key `{name}`."
        near = difflib.get_close_matches(str(location[-1]), known, n=1)
        hint = f"did you mean `{near[0]}`?" if near else f"known keys: {', '.join(known)}."
        return f"{where}: unknown key `{name}`; {hint}"


def read_yaml(path: Path) -> YamlFile:
    """Read a YAML file of plain data: dicts with text as keys, lists and scalars.

    Raises:
        YamlError: it cannot be read, is not YAML, is not plain, or is too large or too deep.
    """
    return parse_yaml(path, yaml_text(path))


def parse_yaml(path: Path, text: str) -> YamlFile:
    """Return what `text` says; `path` is where it was read, for complaints.

    Raises:
        YamlError: it is not YAML, is not plain, or is too deep.
    """
    reader = _Reader(path)
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        data = reader.value(node, ()) if node is not None else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = f"not YAML: {error.problem or 'it ends too early'}."
        raise YamlError(path, mark.line + 1 if mark else 1, reason) from error
    except yaml.YAMLError as error:
        reason = "not YAML: it holds characters that YAML forbids."
        raise YamlError(path, 1, reason) from error
    except RecursionError as error:
        raise YamlError(path, 1, "nested too deeply.") from error
    return YamlFile(path, data, reader.lines)


def yaml_text(path: Path) -> str:
    """Return the text of a file that is small enough.

    Raises:
        YamlError: it cannot be read, is no UTF-8, or is too large.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        reason = f"cannot be read ({error.strerror or type(error).__name__})."
        raise YamlError(path, 1, reason) from error
    if len(data) > MAX_BYTES:
        raise YamlError(path, 1, f"larger than {MAX_BYTES:,} bytes; split it.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise YamlError(path, line, "not UTF-8; save the file as UTF-8.") from error


class _Reader:
    """Turns nodes into plain data and notes their lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: dict[Location, int] = {}
        self._seen_ids: set[int] = set()
        self._scalars = yaml.constructor.SafeConstructor()

    def value(self, node: yaml.Node, location: Location) -> Any:
        line = node.start_mark.line + 1
        self.lines.setdefault(location, line)
        if id(node) in self._seen_ids:
            raise YamlError(self.path, line, "an alias (`*name`); write the value out.")
        self._seen_ids.add(id(node))
        if node.tag not in _PLAIN:
            reason = "a tag (`!…`) or merge key; only plain YAML is read."
            raise YamlError(self.path, line, reason)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, location)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*location, index)) for index, item in enumerate(node.value)]
        return self._scalar(node, line)

    def _mapping(self, node: yaml.MappingNode, location: Location) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode) or key_node.tag not in _PLAIN:
                raise YamlError(self.path, line, "a key that is not plain text.")
            key = str(key_node.value)
            place = (*location, key)
            if key in found:
                first = self.lines[place]
                reason = f"`{key}` is there twice, first in line {first}."
                raise YamlError(self.path, line, reason)
            self.lines[place] = line
            found[key] = self.value(value_node, place)
        return found

    def _scalar(self, node: yaml.Node, line: int) -> Any:
        text = str(node.value)
        for tag, pattern, reason in _MISREAD:
            if node.tag.endswith(tag) and pattern.fullmatch(text):
                raise YamlError(self.path, line, reason.format(text=text))
        try:
            return self._scalars.construct_object(node)
        except (ValueError, yaml.YAMLError) as error:
            raise YamlError(self.path, line, "a value that is no date or number.") from error


def _value_of(mapping: Any, key: object) -> Any:
    return mapping.get(key)


def _at(holder: Any, location: Location) -> Any:
    """Return what a model, a dict or a list holds at a location; None if nothing."""
    for part in location:
        if isinstance(holder, BaseModel):
            holder = getattr(holder, str(part), None)
        elif isinstance(holder, Mapping):
            holder = _value_of(holder, part)
        elif isinstance(holder, list | tuple) and isinstance(part, int):
            several = cast("Sequence[Any]", holder)
            holder = several[part] if part < len(several) else None
        else:
            return None
    return holder


def _keys_at(model: type[BaseModel], location: Location) -> list[str]:
    """Return the keys that `model` knows at `location`, as far as nested models tell."""
    current: Any = model
    for part in location:
        field = current.model_fields.get(str(part))
        current = _model_of(field) if field else None
        if current is None:
            return []
    return list(current.model_fields)


def _model_of(field: FieldInfo) -> type[BaseModel] | None:
    """Return the one model whose keys a field has in a file, if there is one."""
    for mark in field.metadata:
        if isinstance(mark, KeysOf):
            return mark.model
    kind: Any = field.annotation
    others = [one for one in get_args(kind) if one is not NoneType]
    if get_origin(kind) in {Union, UnionType} and len(others) == 1:
        kind = others[0]
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None
