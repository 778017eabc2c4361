"""Check the shape of loaded YAML and collect every mistake with its line."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar, cast

from minerva_governance.core.policy.policy import TEXTS
from minerva_governance.core.reading.problem import Problem
from minerva_platform.text import Language

if TYPE_CHECKING:
    from minerva_platform.text import YamlFile

ChoiceT = TypeVar("ChoiceT", bound=str)
Place = tuple[str | int, ...]
"""The way to a value: ("rules", 0, "id")."""


class ShapeCheck:
    """Asks values to be what they should, notes where they are not, and goes on."""

    def __init__(self, source: "YamlFile", name: str, language: Language) -> None:
        self.source, self.name = source, name
        self.language: Language = language
        self.problems: list[Problem] = []

    def mapping(
        self, value: object, keys: Iterable[str] | None, place: Place, who: str = ""
    ) -> dict[str, Any]:
        """Return `value` as a mapping with no other than `keys` (None: any)."""
        if not isinstance(value, dict):
            name = self._name(place)
            self.problem(place, TEXTS("shape.mapping", self.language, who=who, name=name))
            return {}
        found = cast("dict[str, Any]", value)  # read_yaml makes every key text
        valid_keys = tuple(found if keys is None else keys)
        for key in found:
            if key not in valid_keys:
                self.problem((*place, key), self._unknown_key(key, valid_keys, who))
        return found

    def _unknown_key(self, key: str, valid_keys: Sequence[str], who: str) -> str:
        near = get_close_matches(key, valid_keys, n=1)
        if near:
            return TEXTS("shape.near_key", self.language, who=who, key=key, near=near[0])
        return TEXTS("shape.key", self.language, who=who, key=key, known=", ".join(valid_keys))

    def items(self, value: object, place: Place, who: str = "") -> list[object]:
        """Return `value` as a list."""
        if isinstance(value, list):
            return cast("list[object]", value)
        self.problem(place, TEXTS("shape.list", self.language, who=who, name=self._name(place)))
        return []

    def names(self, value: object, place: Place, who: str = "") -> list[str]:
        """Return `value`, one text or a list of them, as a list."""
        found: list[object] = [value] if isinstance(value, str) else self.items(value, place, who)
        if any(not isinstance(name, str) for name in found):
            name = self._name(place)
            self.problem(place, TEXTS("shape.words", self.language, who=who, name=name))
        return [name for name in found if isinstance(name, str)]

    def choice(
        self, value: object, options: Sequence[ChoiceT], place: Place, who: str
    ) -> ChoiceT | None:
        """Return `value` if it is one of `options`."""
        for option in options:
            if value == option:
                return option
        shown = value if isinstance(value, str) else type(value).__name__
        message = TEXTS(
            "shape.choice",
            self.language,
            who=who,
            key=place[-1],
            value=shown,
            allowed=", ".join(options),
        )
        self.problem(place, message)
        return None

    def problem(self, place: Place, message: str) -> None:
        """Note a mistake at `place`."""
        line = self.source.line_of(place)
        self.problems.append(Problem(file=self.name, line=line, message=message))

    def _name(self, place: Place) -> str:
        keys = (part for part in reversed(place) if isinstance(part, str))
        return next(keys, TEXTS("shape.file", self.language))


def is_count(value: object) -> bool:
    """True if `value` is a whole number above 0 (YAML's `true` is not)."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
