"""Check the shape of loaded YAML and collect every mistake with its line."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar, cast

from minerva_governance.core.report.wording import Language, Problem, Wording

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
            named = self._named(place)
            self.problem(
                place,
                f"{who}{named}에는 `키: 값` 줄이 와야 합니다",
                f"{who}{named} must be `key: value` lines",
            )
            return {}
        found = cast("dict[str, Any]", value)  # read_yaml makes every key text
        known = tuple(found if keys is None else keys)
        for key in found:
            if key not in known:
                near = get_close_matches(key, known, n=1)
                names = ", ".join(known)
                self.problem(
                    (*place, key),
                    f"{who}모르는 키 `{key}`; "
                    + (f"`{near[0]}`을(를) 뜻했나요?" if near else f"쓸 수 있는 키: {names}"),
                    f"{who}unknown key `{key}`; "
                    + (f"did you mean `{near[0]}`?" if near else f"known: {names}"),
                )
        return found

    def items(self, value: object, place: Place, who: str = "") -> list[object]:
        """Return `value` as a list."""
        if isinstance(value, list):
            return cast("list[object]", value)
        named = self._named(place)
        self.problem(place, f"{who}{named}에는 목록이 와야 합니다", f"{who}{named} must be a list")
        return []

    def names(self, value: object, place: Place, who: str = "") -> list[str]:
        """Return `value`, one text or a list of them, as a list."""
        found: list[object] = [value] if isinstance(value, str) else self.items(value, place, who)
        if any(not isinstance(name, str) for name in found):
            named = self._named(place)
            self.problem(
                place, f"{who}{named}에는 단어만 쓸 수 있습니다", f"{who}{named} takes words only"
            )
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
        self.problem(
            place,
            f"{who}`{place[-1]}: {shown}`은(는) {names} 가운데 하나가 아닙니다",
            f"{who}`{place[-1]}: {shown}` is not one of {names}",
        )
        return None

    def who(self, ko: str, en: str) -> str:
        """Return what a mistake is about, in the language of the answer: `rule X: `."""
        return f"{Wording(ko, en).said_in(self.language)}: "

    def problem(self, place: Place, ko: str, en: str) -> None:
        """Note a mistake at `place`, in the language of the answer."""
        line = self.source.line_of(place)
        text = Wording(ko, en).said_in(self.language)
        message = text if text.endswith("?") else f"{text}."
        self.problems.append(Problem(file=self.name, line=line, message=message))

    def _named(self, place: Place) -> str:
        keys = (part for part in reversed(place) if isinstance(part, str))
        return f"`{next(keys, Wording('파일', 'the file').said_in(self.language))}`"


def is_count(value: object) -> bool:
    """Tell whether `value` is a whole number above 0 (YAML's `true` is not)."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
