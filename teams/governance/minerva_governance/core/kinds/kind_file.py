"""Read the kinds that a person adds: the section `kinds:` of a YAML file.

    kinds:
    - id: EMPLOYEE_BADGE
      category: unique_identifier
      label: {ko: 사원증 번호, en: badge number}
      names: [badge_no, 사원증번호]
      form: "B-[0-9]{6}"
      mask: 2                       # how many characters stay; 0 without it

Expressions are RE2's, and bounded: what a person writes here runs over every cell of a file.
"""

import re
from typing import TYPE_CHECKING, Any, Final, cast

import duckdb

from minerva_governance.core.kinds.catalogue import bundled_catalogue
from minerva_governance.core.kinds.extra import TEXTS
from minerva_governance.core.kinds.kind import CATEGORIES, Category, Kind
from minerva_governance.core.reading.problem import Problem
from minerva_platform.text import Language

if TYPE_CHECKING:
    from minerva_platform.text import YamlFile

KIND_KEYS: Final = ("id", "category", "label", "names", "comments", "form", "named", "mask")
_ID = re.compile(r"[A-Z][A-Z0-9_]{1,39}")
_WORD_BREAK = re.compile(r"[\W_]+")
_MAX_KINDS = 200
_MAX_FORM_CHARACTERS = 400
_MAX_NAMES = 100
_UNBOUNDED = re.compile(r"[*+]|\{[0-9]*,\}")
_ESCAPED_OR_CLASS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_INNER_REPEAT = re.compile(r"\{[0-9]+,[0-9]+\}|\?(?![:P<])")
_RANGE = re.compile(r"\{([0-9]+),([0-9]+)\}")
_MAX_STEPS = 10_000
"""Of one match: the product of all ranges of repeats, which a match may try one by one."""
_LABEL_KEYS: Final = ("ko", "en")


class KindFileError(Exception):
    """Kinds that do not load: every problem with file and line."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__("; ".join(map(str, problems)))


def read_kinds(
    source: "YamlFile", name: str | None = None, *, language: Language = "en"
) -> tuple[Kind, ...]:
    """Return the kinds of the section `kinds:`, none if the file has no such section.

    Raises:
        KindFileError: one is not as it should be; messages call the file `name`.
    """
    data = cast("dict[str, Any]", source.data) if isinstance(source.data, dict) else {}
    if "kinds" not in data:
        return ()
    return _Reader(source, name or source.path.name, language).read_kinds(data["kinds"])


class _Reader:
    """Walks the section and collects what is wrong with it."""

    def __init__(self, source: "YamlFile", name: str, language: Language) -> None:
        self.source, self.name = source, name
        self.language: Language = language
        self.problems: list[Problem] = []

    def read_kinds(self, section: object) -> tuple[Kind, ...]:
        items: list[object] = []
        if isinstance(section, list):
            items = cast("list[object]", section)
        else:
            self._problem(("kinds",), "file.list")
        if len(items) > _MAX_KINDS:
            self._problem(("kinds",), "file.too_many", count=_MAX_KINDS)
            items = items[:_MAX_KINDS]
        kinds = [self._kind(item, index) for index, item in enumerate(items)]
        found = [kind for kind in kinds if kind is not None]
        ids = [kind.id for kind in found]
        for index, kind in enumerate(found):
            if kind.id in ids[:index]:
                self._problem(("kinds", index), "file.same_id", id=kind.id)
        if self.problems:
            raise KindFileError(tuple(self.problems))
        return tuple(found)

    def _kind(self, item: object, index: int) -> Kind | None:
        place = ("kinds", index)
        if not isinstance(item, dict):
            self._problem(place, "file.mapping", keys=", ".join(KIND_KEYS))
            return None
        values = cast("dict[str, Any]", item)
        before = len(self.problems)
        for key in values:
            if key not in KIND_KEYS:
                self._problem((*place, key), "file.key", key=key, keys=", ".join(KIND_KEYS))
        kind_id = self._id(values.get("id"), index)
        category = self._category(values.get("category"), index)
        label = self._label(values.get("label"), kind_id, index)
        texts = self._texts(values, "names", index)
        names = tuple(_WORD_BREAK.sub("", each).upper() for each in texts)
        comments = tuple(re.escape(each) for each in self._texts(values, "comments", index))
        # What is no Latin name is looked for in comments and in Korean names.
        written = [each for each in self._texts(values, "names", index) if not each.isascii()]
        form = self._expression(values, "form", index)
        named = self._expression(values, "named", index)
        keep = self._keep(values.get("mask", 0), index)
        if not (names or comments or form):
            self._problem(place, "file.nothing", id=kind_id)
        if len(self.problems) > before or category is None:
            return None
        return Kind(
            id=kind_id,
            category=category,
            ko=label["ko"],
            en=label["en"],
            names=names,
            comments=(*comments, *map(re.escape, written)),
            form=form,
            named=named,
            keep=keep,
            also=frozenset({"key"}),
        )

    def _id(self, value: object, index: int) -> str:
        if isinstance(value, str) and _ID.fullmatch(value):
            return value
        self._problem(("kinds", index, "id"), "file.id")
        return f"#{index + 1}"

    def _category(self, value: object, index: int) -> Category | None:
        for category in CATEGORIES:
            if value == category:
                return category
        near = bundled_catalogue().nearest(value) if isinstance(value, str) else None
        known = near if near in CATEGORIES else ", ".join(CATEGORIES)
        self._problem(("kinds", index, "category"), "file.category", known=known)
        return None

    def _label(self, value: object, kind_id: str, index: int) -> dict[str, str]:
        if value is None:
            return dict.fromkeys(_LABEL_KEYS, kind_id)
        if isinstance(value, str):
            return dict.fromkeys(_LABEL_KEYS, value)
        if isinstance(value, dict):
            given = cast("dict[str, object]", value)
            texts = {key: text for key, text in given.items() if isinstance(text, str)}
            if texts and texts.keys() == given.keys() and texts.keys() <= set(_LABEL_KEYS):
                other = next(iter(texts.values()))
                return {key: texts.get(key, other) for key in _LABEL_KEYS}
        self._problem(("kinds", index, "label"), "file.label")
        return dict.fromkeys(_LABEL_KEYS, kind_id)

    def _texts(self, values: dict[str, Any], key: str, index: int) -> list[str]:
        value = values.get(key, [])
        items = [value] if isinstance(value, str) else value
        if isinstance(items, list):
            texts = [each for each in cast("list[object]", items) if isinstance(each, str) and each]
            if len(texts) == len(cast("list[object]", items)) <= _MAX_NAMES:
                return texts
        self._problem(("kinds", index, key), "file.texts", key=key, count=_MAX_NAMES)
        return []

    def _expression(self, values: dict[str, Any], key: str, index: int) -> str:
        value = values.get(key, "")
        if value == "":
            return ""
        place = ("kinds", index, key)
        if not isinstance(value, str) or len(value) > _MAX_FORM_CHARACTERS:
            self._problem(place, "file.form", key=key, count=_MAX_FORM_CHARACTERS)
            return ""
        cause = refused(value)
        if cause is not None:
            self._problem(place, f"refused.{cause}", key=key)
            return ""
        return value

    def _keep(self, value: object, index: int) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_KEPT:
            return value
        self._problem(("kinds", index, "mask"), "file.mask", count=_MAX_KEPT)
        return 0

    def _problem(self, place: tuple[str | int, ...], message: str, **values: object) -> None:
        line = self.source.line_of(place)
        told = TEXTS(message, self.language, **values)
        self.problems.append(Problem(file=self.name, line=line, message=told))


_MAX_KEPT = 8


def refused(expression: str) -> str | None:
    """Return why `expression` cannot be used (a text of `refused`), or None.

    RE2 decides what an expression is (duckdb brings it). Here `re` runs it as well, so what would
    cost `re` more than a bounded number of steps is refused: endless repeats, repeats of repeats.
    """
    try:
        with duckdb.connect() as database:
            empty = database.execute("SELECT regexp_full_match('', ?)", [expression]).fetchone()
        re.compile(expression)
    except (duckdb.Error, re.error, RecursionError, OverflowError):
        return "syntax"
    if empty == (True,):
        return "empty"
    plain = _ESCAPED_OR_CLASS.sub("x", expression)
    if _UNBOUNDED.search(plain):
        return "endless"
    if _repeats_a_repeat(plain):
        return "nested"
    steps = 2 ** len(re.findall(r"\?(?![:P<])", plain)) if plain.count("?") < _MAX_OPTIONS else 0
    for low, high in _RANGE.findall(plain):
        steps *= int(high) - int(low) + 1
    return None if 0 < steps <= _MAX_STEPS else "endless"


_MAX_OPTIONS = 24


def _repeats_a_repeat(plain: str) -> bool:
    """True if a group that is repeated holds something that may be of several lengths."""
    opened: list[int] = []
    for at, letter in enumerate(plain):
        if letter == "(":
            opened.append(at)
        elif letter == ")" and opened:
            inner = plain[opened.pop() + 1 : at]
            is_repeated = plain[at + 1 : at + 2] == "{"
            if is_repeated and (_INNER_REPEAT.search(inner) or "|" in inner):
                return True
    return False
