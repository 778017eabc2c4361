"""What an organisation says about its columns and tables in its own fields.

Names of fields are compared without case, `_`, `-` and spaces: `data_classification`,
`dataClassification`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from minerva_governance.core.data_contracts.yaml_tree import Node
from minerva_platform.text import read_words

_WORDS = read_words("minerva_governance.core.data_contracts", "tags")
_BETWEEN = re.compile(r"[\s_-]+")
_NUMBER = re.compile(r"\s*(\d{1,6})(?:\.0+)?\s*([^\W\d]*)\s*")
_ISO = re.compile(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?")
"""A duration by ISO 8601, dates only: P3Y, P18M."""
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_MAX_TAG_CHARACTERS = 200


@dataclass
class Tagging:
    """What was said about one column or table."""

    classification: str = ""
    is_encrypted: bool | None = None
    retention: Node | None = None
    """The value that states how long rows are kept."""
    retention_unit: str = ""
    raw_tags: list[str] = field(default_factory=list[str])

    @property
    def tags(self) -> tuple[str, ...]:
        """All tags, the classification among them, each once."""
        every = [*self.raw_tags, self.classification]
        return tuple(dict.fromkeys(tag.strip()[:_MAX_TAG_CHARACTERS] for tag in every if tag))

    def classify(self, text: str) -> None:
        """Take the first classification; another one is a tag."""
        self.classification = self.classification or text.strip()
        self.raw_tags.append(text)

    def add_tags(self, node: Node) -> None:
        """Take a tag, or a list of them; `name: value` pairs of an item are one tag."""
        for item in (*node.items, *([node] if node.text else [])):
            pairs = (f"{key}:{value.text}" for key, value in item.entries.items() if value.text)
            self.raw_tags += [item.text] if item.text else list(pairs)

    def add(self, name: str, value: Node) -> None:
        """Take a field of the organisation's own; a flag that is set is a tag by its name."""
        kind = _kind_of(name)
        if kind == "classification" and value.text:
            self.classify(value.text)
        elif kind == "encrypted" and value.scalar is not None:
            self.is_encrypted = _BETWEEN.sub("", value.text.casefold()) not in _not_encrypted()
        elif kind == "retention" and value.text:
            self.retention = value
            is_days = _BETWEEN.sub("", name.casefold()) in _WORDS["in_days"]
            self.retention_unit = "day" if is_days else ""
        elif kind == "tags":
            self.add_tags(value)
        elif value.flag and value.text != "1":
            self.raw_tags.append(name)
        elif value.text and value.flag is None:
            self.raw_tags.append(f"{name}:{value.text}")
        else:
            self.raw_tags += [f"{name}:{item.text}" for item in value.items if item.text]


def periods_in_days(text: str, unit: str = "") -> int | None:
    """Return how many days `3` of `unit`, `3 years` or `P3Y` are; None if that is not said.

    A year counts 365 days and a month 30, as everywhere in a review.
    """
    iso = _ISO.fullmatch(text.strip().upper())
    if iso is not None and any(iso.groups()):
        years, months, weeks, days = (int(part or 0) for part in iso.groups())
        return years * 365 + months * 30 + weeks * 7 + days
    number = _NUMBER.fullmatch(text)
    if number is None:
        return None
    named = number[2] or unit.strip()
    for name, patterns in _WORDS.table("units").items():
        if re.fullmatch("|".join(patterns), named, re.IGNORECASE):
            return int(number[1]) * _DAYS[name]
    return None


def is_retention(name: str) -> bool:
    """True if a field of this name says how long rows are kept."""
    return _kind_of(name) == "retention"


def _kind_of(name: str) -> str:
    plain = _BETWEEN.sub("", name.casefold())
    kinds: Iterable[str] = ("classification", "encrypted", "tags", "retention")
    found: Iterator[str] = (kind for kind in kinds if plain in _WORDS[kind])
    return next(found, "")


def _not_encrypted() -> frozenset[str]:
    return frozenset({"", *_WORDS["not_encrypted"]})
