"""Add a text to a list in a YAML file that a person wrote: comments and layout stay.

What was read is edited as text, and read again: if it does not say the same and the new text, the
file is left as it is, and the person is told the lines to add.
"""

import copy
import json
from typing import Any, Final

import yaml

_STEP: Final = 2
"""Blanks by which a new level is indented."""


class UneditableError(ValueError):
    """The text has a form that is not edited. `lines` are what a person adds."""

    def __init__(self, lines: str) -> None:
        self.lines = lines
        super().__init__(lines)


def with_item(text: str, keys: tuple[str, ...], item: str) -> str:
    """Return YAML `text` with `item` at the end of the list at `keys`, which may not be there yet.

    Raises:
        UneditableError: the list, or something around it, is written in another form.
    """
    end = "\r\n" if "\r\n" in text else "\n"
    lines = _block(keys, item, 0)
    try:
        changed = _edited(text, keys, item, end)
        if yaml.safe_load(changed) == _wanted(yaml.safe_load(text), keys, item):
            return changed
    except (yaml.YAMLError, TypeError, AttributeError) as error:
        raise UneditableError(lines) from error
    raise UneditableError(lines)


def _wanted(data: Any, keys: tuple[str, ...], item: str) -> Any:
    """Return what the changed text must say."""
    whole: dict[str, Any] = copy.deepcopy(data) or {}
    inner: dict[str, Any] = whole
    for key in keys[:-1]:
        inner[key] = inner.get(key) or {}
        inner = inner[key]
    inner[keys[-1]] = [*(inner.get(keys[-1]) or []), item]
    return whole


def _edited(text: str, keys: tuple[str, ...], item: str, end: str) -> str:
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    column = 0
    place = len(text)  # a new key of the whole file comes last, after all comments
    for depth, key in enumerate(keys):
        if isinstance(node, yaml.MappingNode):
            column = node.start_mark.column
            found = [(name, value) for name, value in node.value if name.value == key]
            place = _line_end(text, node) if depth else len(text)
        elif node is None or _is_empty(node):
            found = []
        else:
            raise TypeError(key)
        if not found:
            return _inserted(text, place, _block(keys[depth:], item, column), end)
        ((name, node),) = found
        place, column = _line_end(text, node), name.start_mark.column + _STEP
    if isinstance(node, yaml.SequenceNode) and node.flow_style:
        comma = ", " if node.value else ""
        inside = node.end_mark.index - 1
        return f"{text[:inside].rstrip()}{comma}{_quoted(item)}{text[inside:]}"
    if isinstance(node, yaml.SequenceNode):
        column = node.start_mark.column
    return _inserted(text, place, f"{' ' * column}- {_quoted(item)}\n", end)


def _inserted(text: str, place: int, lines: str, end: str) -> str:
    before = text[:place]
    broken = "" if not before or before.endswith("\n") else end
    return f"{before}{broken}{lines.replace(chr(10), end)}{text[place:]}"


def _block(keys: tuple[str, ...], item: str, column: int) -> str:
    """Return new lines: the keys, each deeper than the one before, and the item below them."""
    lines = [f"{' ' * (column + _STEP * depth)}{key}:" for depth, key in enumerate(keys)]
    lines.append(f"{' ' * (column + _STEP * len(keys))}- {_quoted(item)}")
    return "".join(f"{line}\n" for line in lines)


def _is_empty(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.value == ""


def _quoted(item: str) -> str:
    """Return printable text in double quotes, which YAML reads as JSON does."""
    return json.dumps(item, ensure_ascii=False)


def _line_end(text: str, node: yaml.Node) -> int:
    """Return the place after the last line of `node`."""
    place: int = _last_leaf(node).end_mark.index
    if place and text[place - 1] == "\n":  # a block of lines ends where the next line begins
        return place
    found = text.find("\n", place)
    return len(text) if found < 0 else found + 1


def _last_leaf(node: yaml.Node) -> yaml.Node:
    if isinstance(node, yaml.MappingNode) and node.value and not node.flow_style:
        return _last_leaf(node.value[-1][1])
    if isinstance(node, yaml.SequenceNode) and node.value and not node.flow_style:
        return _last_leaf(node.value[-1])
    return node
