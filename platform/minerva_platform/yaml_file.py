"""Read YAML so that every complaint can name the file and the line.

Only plain data is built: tags that would make Python objects are refused, so a
configuration file or a policy can never run code.
"""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from minerva_platform.errors import SettingsError

ModelT = TypeVar("ModelT", bound=BaseModel)
Location = tuple[str | int, ...]
"""Where a value lies: `("rules", 2, "severity")`."""


MAX_PLACES = 100_000
"""Keys and items of a file: nested aliases make billions of them out of ten lines."""


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

    def validated(self, model: type[ModelT]) -> ModelT:
        """Return the data as `model`.

        Raises:
            SettingsError: every fault, each with `file:line` and the nearest known key.
        """
        try:
            return model.model_validate(self.data if self.data is not None else {})
        except ValidationError as error:
            faults = [self._fault(item, model) for item in error.errors(include_url=False)]
            raise SettingsError("\n".join(faults)) from error

    def _fault(self, item: Any, model: type[BaseModel]) -> str:
        location: Location = item["loc"]
        where = f"{self.path}:{self.line_of(location)}"
        name = ".".join(str(part) for part in location)
        if item["type"] != "extra_forbidden":
            return f"{where}: `{name}`: {item['msg']}."
        known = _keys_at(model, location[:-1])
        near = difflib.get_close_matches(str(location[-1]), known, n=1)
        hint = f"did you mean `{near[0]}`?" if near else f"known keys: {', '.join(known)}."
        return f"{where}: unknown key `{name}`; {hint}"


def read_yaml(path: Path) -> YamlFile:
    """Read a YAML file of plain data.

    Raises:
        SettingsError: it cannot be read, is not YAML, repeats a key, or wants to build
            something else than plain data.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path}: cannot be read: {error}."
        raise SettingsError(message) from error
    try:
        return _parsed(path, text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        message = f"{path}:{line}: {error.problem or error.context}."
        raise SettingsError(message) from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:  # a ValueError: 2024-13-45
        message = f"{path}: is not usable YAML: {str(error).splitlines()[0]}."
        raise SettingsError(message) from error


def _parsed(path: Path, text: str) -> YamlFile:
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return YamlFile(path, None, {})
        lines: dict[Location, int] = {}
        _collect_lines(node, (), lines, path)
        return YamlFile(path, loader.construct_document(node), lines)
    finally:
        loader.dispose()


def _collect_lines(
    node: yaml.Node, location: Location, lines: dict[Location, int], path: Path
) -> None:
    lines.setdefault(location, node.start_mark.line + 1)
    if len(lines) > MAX_PLACES:
        message = f"{path}: has more than {MAX_PLACES} keys and items; aliases count each time."
        raise SettingsError(message)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            place = (*location, str(key.value))
            line = key.start_mark.line + 1
            if place in lines:
                message = (
                    f"{path}:{line}: `{key.value}` is there twice, first in line {lines[place]}."
                )
                raise SettingsError(message)
            lines[place] = line
            _collect_lines(value, place, lines, path)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _collect_lines(value, (*location, index), lines, path)


def _keys_at(model: type[BaseModel], location: Location) -> list[str]:
    """Return the keys that `model` knows at `location`, as far as nested models tell."""
    current: Any = model
    for part in location:
        field = current.model_fields.get(str(part))
        current = field.annotation if field else None
        if not (isinstance(current, type) and issubclass(current, BaseModel)):
            return []
    return list(current.model_fields)
