"""Read YAML that may be hostile as a tree of texts with their lines.

Built of the parser's events, one after another: no constructor runs, nothing recurses, and an alias
costs what it would add if it were written out, so a bomb of aliases is refused.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from minerva_reading import UnreadableError

MAX_NODES: Final = 1_000_000
"""Values of a file with its aliases written out: a contract of 50,000 columns has 900,000."""
MAX_DEPTH: Final = 40
_MERGE: Final = "<<"
_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml is ten times as fast, and not in every build of PyYAML."""
_TRUE: Final = frozenset({"true", "yes", "on", "y", "1"})
_FALSE: Final = frozenset({"false", "no", "off", "n", "0", ""})


@dataclass(slots=True)
class Node:
    """One value: a text, a list or a mapping."""

    line: int
    scalar: str | None = None
    sequence: list["Node"] | None = None
    mapping: dict[str, "Node"] | None = None
    size: int = 1
    is_plain: bool = False
    """A scalar without quotes, which may be a number, a flag or null."""

    @property
    def text(self) -> str:
        """The scalar; "" for anything else, and for null."""
        is_null = self.is_plain and self.scalar in {"null", "Null", "NULL", "~"}
        return "" if is_null else self.scalar or ""

    @property
    def flag(self) -> bool | None:
        """What a scalar says if it is a flag, else None."""
        said = self.text.casefold()
        return True if said in _TRUE else False if said in _FALSE else None

    @property
    def items(self) -> Sequence["Node"]:
        """The items of a list; nothing for anything else."""
        return self.sequence or ()

    @property
    def entries(self) -> Mapping[str, "Node"]:
        """The entries of a mapping; nothing for anything else."""
        return self.mapping or {}

    def __getitem__(self, key: str) -> "Node":
        """Return the value of `key`, or an empty one."""
        return self.entries.get(key) or Node(self.line)

    def has(self, key: str) -> bool:
        """True if it is a mapping with `key`."""
        return key in self.entries

    def first_text(self, *keys: str) -> str:
        """Return the first text among the values of `keys`, as one line."""
        text = next((self[key].text for key in keys if self[key].text), "")
        return " ".join(text.split())


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not come yet."""

    node: Node
    anchor: str | None
    key: str | None = None
    merge_sources: list[Node] = field(default_factory=list[Node])


def read_tree(text: str) -> list[Node]:
    """Return the documents of a YAML text.

    Raises:
        UnreadableError: no YAML, nested too deeply, or too large with its aliases written out.
    """
    building = _Building()
    try:
        for event in _events(text):
            building.take(event)
    except yaml.YAMLError:  # its text quotes the file
        raise UnreadableError(reason="no_yaml") from None
    return building.documents


def _events(text: str) -> Iterator[Any]:
    yield from yaml.parse(text, Loader=_LOADER)


class _Building:
    """The tree so far."""

    def __init__(self) -> None:
        self.documents: list[Node] = []
        self._open: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._size = 0

    def take(self, event: Any) -> None:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.ScalarEvent):
            plain = bool(event.style is None or event.style == "")
            self._add(Node(line, scalar=str(event.value), is_plain=plain), event.anchor)
        elif isinstance(event, yaml.AliasEvent):
            self._add(self._node_of(event.anchor), None)
        elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            is_list = isinstance(event, yaml.SequenceStartEvent)
            node = Node(line, sequence=[] if is_list else None, mapping=None if is_list else {})
            self._open.append(_Open(node, event.anchor))
            if len(self._open) > MAX_DEPTH:
                raise UnreadableError(reason="yaml_deep", limit=MAX_DEPTH)
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            closed = self._open.pop()
            for other in closed.merge_sources:
                for key, value in other.entries.items():
                    if not closed.node.has(key):
                        self._set(closed.node, key, value)
            self._size -= closed.node.size - 1  # its items were counted as they came
            self._add(closed.node, closed.anchor)

    def _node_of(self, anchor: str | None) -> Node:
        node = self._anchors.get(anchor or "")
        if node is None:  # an alias inside its own anchor, or of none
            raise UnreadableError(reason="no_yaml")
        return node

    def _add(self, node: Node, anchor: str | None) -> None:
        self._size += node.size
        if self._size > MAX_NODES:
            raise UnreadableError(reason="yaml_large", limit=MAX_NODES)
        if anchor is not None:
            self._anchors[anchor] = node
        if not self._open:
            self.documents.append(node)
            return
        around = self._open[-1]
        around.node.size += node.size
        if around.node.sequence is not None:
            around.node.sequence.append(node)
        elif around.key is None:
            around.key = node.text
        else:
            if around.key == _MERGE:
                around.merge_sources += [node, *node.items]
            else:
                self._set(around.node, around.key, node)
            around.key = None

    @staticmethod
    def _set(node: Node, key: str, value: Node) -> None:
        if node.mapping is not None:
            node.mapping[key] = value
