"""One name for one thing (U1), one thing under one name (U2, U3), seen while rows pass by.

Of each name only what a finding says is kept, not its row: a hundred thousand rows would fill
the memory.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from minerva_data.core.audit.rule import finding, place
from minerva_data.core.glossary.glossary import Glossary
from minerva_data.core.schema.record import Finding, Row, SourceRow

_NUMBERS: Final = "번호"
"""The domain class of 번호 and 식별자: 환자번호 and 환자식별자 may number one thing."""


class _Spelling(NamedTuple):
    """What a finding about the first column of one meaning says; the names that all have."""

    place: str
    physical_name: str
    citations: tuple[SourceRow, ...]
    names: dict[str, None]


class Uniqueness:
    """Both rules over all rows of a table or of a schema."""

    def __init__(self, glossary: Glossary) -> None:
        self._glossary = glossary
        self._logical: dict[str, str | None] = {}
        self._spellings: dict[str, _Spelling] = {}
        self._keys: dict[str, _Spelling] = {}
        """The terms that number one thing, by the thing."""

    def add(self, row: Row) -> Iterator[Finding]:
        """Take the next row; yield U1 where it shares a name with another meaning.

        No two columns of a table may get one new name, either.
        """
        if row.reason == "collision":
            yield finding("U1", "high", row, "name", row.item.name, "")
        elif row.physical_name is not None:
            first = self._logical.setdefault(row.physical_name, row.logical_name)
            if first != row.logical_name:
                both = f"{first}, {row.logical_name}"
                yield finding("U1", "high", row, "physical_name", both, "")
        if row.logical_name is not None and row.item.is_column:
            self._remember(row, row.logical_name)
            self._remember_key(row, row.logical_name)

    def _remember_key(self, row: Row, logical: str) -> None:
        """Keep by what terms a thing is numbered: the words before the class word are the thing."""
        word = self._glossary.class_word_of(logical)
        thing = logical.removesuffix(word.name) if word is not None else ""
        if word is None or word.domain_class != _NUMBERS or not thing:
            return
        known = self._keys.setdefault(thing, _Spelling(place(row), "", row.citations[:1], {}))
        known.names[f"{logical} = {row.physical_name}"] = None

    def _remember(self, row: Row, logical: str) -> None:
        name = row.item.name.upper()
        spelled = self._spellings.get(logical)
        if spelled is None:
            physical, sources = row.physical_name or "", row.citations[:1]
            self._spellings[logical] = _Spelling(place(row), physical, sources, {name: None})
        else:
            spelled.names[name] = None

    def close(self) -> Iterator[Finding]:
        """Yield what several names of the whole schema mean alike.

        U2: one logical name has several column names. U3: two standard terms number one thing.
        """
        for spelled in self._keys.values():
            if len(spelled.names) > 1:
                yield Finding(
                    rule="U3",
                    severity="low",
                    place=spelled.place,
                    field="logical_name",
                    before=", ".join(spelled.names),
                    after="",
                    citations=spelled.citations,
                )
        for spelled in self._spellings.values():
            if len(spelled.names) > 1:
                yield Finding(
                    rule="U2",
                    severity="medium",
                    place=spelled.place,
                    field="name",
                    before=", ".join(spelled.names),
                    after=spelled.physical_name,
                    citations=spelled.citations,
                )
