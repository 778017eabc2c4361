"""Check the shape of loaded YAML and collect every mistake with its line."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar, cast

from minerva_governance.core.report.wording import Problem

if TYPE_CHECKING:
    from minerva_platform.text import YamlFile

ChoiceT = TypeVar("ChoiceT", bound=str)
Place = tuple[str | int, ...]
"""The way to a value: ("rules", 0, "id")."""


class ShapeCheck:
    """Asks values to be what they should, notes where they are not, and goes on."""

    def __init__(self, source: "YamlFile") -> None:
        self.source = source
        self.problems: list[Problem] = []

    def mapping(
        self, value: object, keys: Iterable[str] | None, place: Place, who: str = ""
    ) -> dict[str, Any]:
        """Return `value` as a mapping with no other than `keys` (None: any)."""
        if not isinstance(value, dict):
            self.problem(place, f"{who}{_named(place)} must be `key: value` lines")
            return {}
        found = cast("dict[str, Any]", value)  # read_yaml makes every key text
        known = tuple(found if keys is None else keys)
        for key in found:
            if key not in known:
                near = get_close_matches(key, known, n=1)
                hint = f"; did you mean `{near[0]}`?" if near else f"; known: {', '.join(known)}"
                self.problem((*place, key), f"{who}unknown key `{key}`{hint}")
        return found

    def items(self, value: object, place: Place, who: str = "") -> list[object]:
        """Return `value` as a list."""
        if isinstance(value, list):
            return cast("list[object]", value)
        self.problem(place, f"{who}{_named(place)} must be a list")
        return []

    def names(self, value: object, place: Place, who: str = "") -> list[str]:
        """Return `value`, one text or a list of them, as a list."""
        found: list[object] = [value] if isinstance(value, str) else self.items(value, place, who)
        if any(not isinstance(name, str) for name in found):
            self.problem(place, f"{who}{_named(place)} takes words only")
        return [name for name in found if isinstance(name, str)]

    def choice(
        self, value: object, allowed: Sequence[ChoiceT], place: Place, who: str
    ) -> ChoiceT | None:
        """Return `value` if it is one of `allowed`."""
        for option in allowed:
            if value == option:
                return option
        shown = value if isinstance(value, str) else type(value).__name__
        names = ", ".join(allowed)
        self.problem(place, f"{who}`{place[-1]}: {shown}` is not one of {names}")
        return None

    def problem(self, place: Place, text: str) -> None:
        """Note a mistake at `place`."""
        line = self.source.line_of(place)
        self.problems.append(Problem(file=self.source.path.name, line=line, message=f"{text}."))


def is_count(value: object) -> bool:
    """Tell whether `value` is a whole number above 0 (YAML's `true` is not)."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _named(place: Place) -> str:
    return f"`{next((part for part in reversed(place) if isinstance(part, str)), 'the file')}`"
