"""All kinds that are known, by id, category and value."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from minerva_governance.core.kinds.kind import CATEGORIES, Category, Kind
from minerva_platform.text import read_words


class Catalogue:
    """Kinds by their ids, in the order in which their values are tried."""

    def __init__(self, kinds: Iterable[Kind]) -> None:
        self.kinds: Mapping[str, Kind] = {kind.id: kind for kind in kinds}

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The id of every kind."""
        return tuple(self.kinds)

    @cached_property
    def personal_ids(self) -> tuple[str, ...]:
        """The ids that `pii: any` means: all but keys."""
        return tuple(kind.id for kind in self.kinds.values() if kind.is_personal)

    def get(self, kind_id: str) -> Kind | None:
        """Return the kind of that id, or None."""
        return self.kinds.get(kind_id)

    def of_category(self, category: Category) -> tuple[str, ...]:
        """Return the ids of all kinds of `category`."""
        return tuple(kind.id for kind in self.kinds.values() if kind.category == category)

    def resolve(self, word: str) -> tuple[str, ...]:
        """Return the ids that a policy means by an id, a category or `any`; none if it is neither.

        `KR_PHONE` was the name of `PHONE` until kinds had regions.
        """
        if word == "any":
            return self.personal_ids
        word = _RENAMED.get(word, word)
        if word in self.kinds:
            return (word,)
        return next((self.of_category(each) for each in CATEGORIES if each == word), ())

    def nearest(self, word: str) -> str | None:
        """Return the id or category that is spelt most like `word`, or None."""
        known = {name.casefold(): name for name in (*self.ids, *CATEGORIES, "any")}
        near = get_close_matches(word.casefold(), known, n=1)
        return known[near[0]] if near else None

    def with_kinds(self, kinds: Iterable[Kind]) -> "Catalogue":
        """Return a catalogue with `kinds` before the others; an id that is there is replaced."""
        new = {kind.id: kind for kind in kinds}
        old = (kind for kind in self.kinds.values() if kind.id not in new)
        return Catalogue((*new.values(), *old))

    @cached_property
    def _notice(self) -> dict[str, re.Pattern[str] | None]:
        return {}

    def in_notice(self, kind_id: str, text: str) -> bool:
        """True if the words of a privacy notice name the kind."""
        if kind_id not in self._notice:
            self._notice[kind_id] = _notice_pattern(self.kinds.get(kind_id))
        pattern = self._notice[kind_id]
        return pattern is not None and pattern.search(text) is not None

    def may_be_in_notice(self, kind_id: str, text: str) -> bool:
        """True if the words of a notice name the kind's category and leave open which kinds."""
        kind = self.kinds.get(kind_id)
        key = f"notice_may_mean.{kind.category}" if kind else ""
        return key in _WORDS.lists and _WORDS.says(key, text)


_WORDS = read_words("minerva_governance.core.kinds", "categories")
_RENAMED = {"KR_PHONE": "PHONE"}


@cache
def bundled_catalogue() -> Catalogue:
    """Return the kinds of the tables; they are read once."""
    return Catalogue(_kinds())


_TABLES = (
    *("general", "kr", "anglo", "europe", "jp"),
    *("online", "quasi", "health", "special"),
)
"""In the order in which a name that two tables know is given away."""


_FORMS = ("form", "weak", "told", "named", "sure", "sure_named")
"""Lists of alternatives in the tables, a line each."""


def _kinds() -> Iterator[Kind]:
    folder = files("minerva_governance.core.kinds") / "tables"
    for name in _TABLES:
        table: dict[str, dict[str, Any]] = tomllib.loads(
            (folder / f"{name}.toml").read_text(encoding="utf-8")
        )
        for kind_id, values in table.items():
            forms = {key: "|".join(values[key]) for key in _FORMS if key in values}
            yield Kind.model_validate({"id": kind_id, **values, **forms})


_INNER_START, _INNER_END = re.compile(r"^\^"), re.compile(r"(?<!\\)\$$")


def _notice_pattern(kind: Kind | None) -> re.Pattern[str] | None:
    if kind is None:
        return None
    words = kind.notice or kind.comments or (re.escape(kind.ko), re.escape(kind.en))
    words += _WORDS.lists.get(f"notice.{kind.category}", ())
    # A comment is one name from its start to its end; a clause names many, each a whole word.
    joined = "|".join(_INNER_END.sub(r"(?![A-Za-z])", _INNER_START.sub(r"(?<![A-Za-z])", word))
                      for word in words)  # fmt: skip
    return re.compile(joined, re.IGNORECASE)
