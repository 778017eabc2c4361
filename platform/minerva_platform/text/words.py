"""Lists of words from TOML files beside the code that knows them by name.

`words/korean.toml` in a package holds a list a line, or tables of lists: `words["particles"]`,
`words["units.time"]`. A text alone is a list of one. A person who knows the language mends the
file, and needs no Python.
"""

import re
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Final

from minerva_platform.errors import ContractError
from minerva_platform.text.texts import flat_items, read_table

FOLDER: Final = "words"


class Words:
    """The lists of one file, read when the first of them is needed."""

    def __init__(self, package: str, name: str) -> None:
        self.package, self.name = package, name
        self._sets: dict[tuple[str, ...], frozenset[str]] = {}
        self._patterns: dict[str, re.Pattern[str]] = {}

    def __getitem__(self, key: str) -> tuple[str, ...]:
        """Return the list `key`, in the file's order.

        Raises:
            ContractError: the file is not there, is no TOML, or has no such list.
        """
        try:
            return self.lists[key]
        except KeyError:
            message = f"{self} has no list `{key}`."
            raise ContractError(message) from None

    def set_of(self, *keys: str) -> frozenset[str]:
        """Return the words of these lists; each set is made once."""
        if keys not in self._sets:
            self._sets[keys] = frozenset(word for key in keys for word in self[key])
        return self._sets[keys]

    def any_of(self, *keys: str) -> str:
        """Return a regular expression for one word of these lists, the longest first."""
        every = {word for key in keys for word in self[key]}
        return "|".join(re.escape(word) for word in sorted(every, key=lambda w: (-len(w), w)))

    def patterns(self, key: str) -> str:
        """Return a regular expression for one of the list's regular expressions, in its order."""
        return "|".join(self[key])

    def pattern(self, key: str) -> re.Pattern[str]:
        """Return `patterns(key)` compiled, upper and lower case alike; each is compiled once."""
        if key not in self._patterns:
            self._patterns[key] = re.compile(self.patterns(key), re.IGNORECASE)
        return self._patterns[key]

    def says(self, key: str, text: str) -> bool:
        """True if `text` holds what one of the list's regular expressions matches."""
        return self.pattern(key).search(text) is not None

    def table(self, key: str) -> Mapping[str, tuple[str, ...]]:
        """Return the lists of the table `key` by their names."""
        start = f"{key}."
        found = {
            name.removeprefix(start): words
            for name, words in self.lists.items()
            if name.startswith(start)
        }
        if not found:
            message = f"{self} has no table `{key}`."
            raise ContractError(message)
        return found

    @cached_property
    def lists(self) -> Mapping[str, tuple[str, ...]]:
        """Every list by its name."""
        return {
            name: (value,) if isinstance(value, str) else tuple(value)
            for name, value in flat_items(read_table(self.package, FOLDER, self.name))
        }

    def __str__(self) -> str:
        """Return the file: `minerva_data.core.language/words/korean.toml`."""
        return f"{self.package}/{FOLDER}/{self.name}.toml"


@cache
def read_words(package: str, name: str) -> Words:
    """Return the lists of `words/<name>.toml` in `package`; the file is read once, on first use."""
    return Words(package, name)
