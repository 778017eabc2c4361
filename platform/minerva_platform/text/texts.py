"""Texts for people, in Korean and English, from TOML files beside the code that says them.

`texts/table.toml` in a package holds a table a text:

    [shown]
    ko = "전체 {total:,}건 가운데 {shown:,}건만 보입니다."
    en = "{shown:,} of {total:,} are shown."

A text may be a list (the header of a table), and tables may nest: `[status.rename]` is
`status.rename`. `tests/test_texts.py` finds texts and uses of them that do not fit each other.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.resources import files
from typing import Any, Final, cast

from minerva_platform.errors import ContractError
from minerva_platform.text.language import LANGUAGES, Language

FOLDER: Final = "texts"


class Texts:
    """The texts of one file, read when the first of them is needed."""

    def __init__(self, package: str, name: str) -> None:
        self.package, self.name = package, name

    def __call__(self, key: str, language: Language, /, **values: object) -> str:
        """Return the text `key` in `language`, with `values` in the places it names.

        Raises:
            ContractError: the file is not there, is no TOML, or has no such text.
            KeyError: the text names a place that `values` leaves empty.
        """
        said = self._find_entry(key, language)
        if not isinstance(said, str):
            message = f"{self}: `{key}` is a list; ask for it with `row`."
            raise ContractError(message)
        return said.format_map(values) if values else said

    def row(self, key: str, language: Language) -> tuple[str, ...]:
        """Return the list `key` in `language`, such as the header of a table.

        Raises:
            ContractError: the file is not there, is no TOML, or has no such list.
        """
        said = self._find_entry(key, language)
        if isinstance(said, str):
            message = f"{self}: `{key}` is one text; call it."
            raise ContractError(message)
        return said

    def has(self, key: str) -> bool:
        """True if there is a text or a list `key`."""
        return (key, LANGUAGES[0]) in self.entries

    @cached_property
    def entries(self) -> Mapping[tuple[str, Language], str | tuple[str, ...]]:
        """Every text by its key and language."""
        found: dict[tuple[str, Language], str | tuple[str, ...]] = {}
        for place, value in flat_items(read_table(self.package, FOLDER, self.name)):
            key, _, name = place.rpartition(".")
            said = value if isinstance(value, str) else tuple(value)
            found |= {(key, language): said for language in LANGUAGES if name == language}
        return found

    def _find_entry(self, key: str, language: Language) -> str | tuple[str, ...]:
        try:
            return self.entries[key, language]
        except KeyError:
            message = f"{self} has no text `{key}` in `{language}`."
            raise ContractError(message) from None

    def __str__(self) -> str:
        """Return the file: `minerva_data.answers/texts/table.toml`."""
        return f"{self.package}/{FOLDER}/{self.name}.toml"


def read_texts(package: str, name: str) -> Texts:
    """Return the texts of `texts/<name>.toml` in `package`; the file is read on first use."""
    return Texts(package, name)


def read_table(package: str, folder: str, name: str) -> dict[str, Any]:
    """Return the contents of a TOML file in a package.

    Raises:
        ContractError: the file is not there, or is no TOML.
    """
    file = files(package) / folder / f"{name}.toml"
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        message = f"{file} is not there."
        raise ContractError(message) from None
    except tomllib.TOMLDecodeError as error:
        message = f"{file}: {error}"
        raise ContractError(message) from error


def flat_items(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield what is no table itself, by its name with those of the tables around it: `a.b.c`."""
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from flat_items(cast("Mapping[str, Any]", value), f"{above}{name}.")
        else:
            yield f"{above}{name}", value
