"""The record of processing: GDPR Article 30; 개인정보파일 대장 (개인정보 보호법 제32조).

One row for each table or file that holds personal data. A cell is what the material says of that
table, and the column after it says where that stands: the schema's comment, a contract, a clause of
the notice that names its data or the people it is about, or that speaks of all data. What nobody
says stays empty, and nothing is invented.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from minerva_governance.answers.report.build import is_special
from minerva_governance.answers.report.document import Document
from minerva_governance.core.detection.entity import label
from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.kinds.review_context import current_catalogue
from minerva_governance.core.policy.period import periods_in
from minerva_governance.core.predicates.encrypted import declares_encryption
from minerva_governance.core.reading.declaration import Schema, SchemaTable
from minerva_governance.core.review.data_subject import (
    addressed_to,
    label_of,
    subjects_in,
    subjects_of,
    subjects_of_name,
    tables_by_name,
)
from minerva_governance.core.review.notice import Clause
from minerva_governance.core.review.retention_words import kept_periods
from minerva_platform.text import Language, csv_text, read_texts, read_words

TEXTS = read_texts("minerva_governance.answers.report", "page")
_WORDS = read_words("minerva_governance.answers.report", "register")
FIELDS: Final = (
    "name", "description", "purpose", "legal_basis", "subjects", "categories",
    "special_categories", "recipients", "retention", "safeguards",
)  # fmt: skip
"""The cells of a row; beside each but the name stands `…_source`."""
_Cell = tuple[str, str]
"""What is said, and where."""


def to_register(
    document: Document, clauses: Sequence[Clause], schemas: Sequence[Schema] = ()
) -> str:
    """Return the register as CSV."""
    tables = tables_by_name(schemas)
    sources = {
        table.name.casefold(): schema.source for schema in schemas for table in schema.tables
    }
    rows: list[list[str]] = []
    for name, columns in _by_table(document.inventory):
        key = name.casefold()
        row = _Row(name, columns, document, tables, sources.get(key, ""))
        rows.append([name, *(cell for pair in row.cells(clauses) for cell in pair)])
    header = [
        cell
        for field in FIELDS
        for cell in ((field,) if field == "name" else (field, f"{field}_source"))
    ]
    return csv_text(header, rows)


def _by_table(columns: Iterable[PiiColumn]) -> Iterator[tuple[str, list[PiiColumn]]]:
    found: dict[str, list[PiiColumn]] = {}
    for column in columns:
        found.setdefault(column.table, []).append(column)
    yield from sorted(found.items(), key=lambda item: item[1][0].declared)


class _Row:
    """What is said of one table or file."""

    def __init__(
        self,
        name: str,
        columns: list[PiiColumn],
        document: Document,
        tables: dict[str, SchemaTable],
        source: str,
    ) -> None:
        self.columns, self.document, self.source = columns, document, source
        self.audience: dict[str, frozenset[str]] = {}
        """notice -> whose data it is about"""
        self.language: Language = document.language
        self.table = tables.get(name.casefold())
        self.entities = list(dict.fromkeys(column.entity for column in columns))
        comment = self.table.comment if self.table else ""
        self.subjects = subjects_of_name(name) or subjects_in(comment)
        self.subject_place = self._table_place() if self.subjects and self.table else name
        if not self.subjects:
            telling = [column for column in columns if subjects_of(column, {})]
            found = (subjects_of(column, {}) for column in telling)
            self.subjects = frozenset[str]().union(*found)
            self.subject_place = _places(telling)

    def cells(self, clauses: Sequence[Clause]) -> Iterator[_Cell]:
        """Yield the cells after the name, in the order of `FIELDS`."""
        sources = {clause.source for clause in clauses}
        self.audience = {
            source: addressed_to(clause for clause in clauses if clause.source == source)
            for source in sources
        }
        yield self._description()
        yield _quote_clauses(self._about("purpose", clauses))
        yield _quote_clauses(self._about("legal_basis", clauses))
        yield label_of(self.subjects, self.language), self.subject_place if self.subjects else ""
        yield self._labels(self.entities), _places(self.columns)
        special = [entity for entity in self.entities if is_special(entity)]
        yield (
            self._labels(special),
            _places([column for column in self.columns if column.entity in special]),
        )
        yield self._recipients()
        yield self._retention(clauses)
        yield self._safeguards()

    def _description(self) -> _Cell:
        if self.table is None or not self.table.comment:
            return "", ""
        return self.table.comment, self._table_place()

    def _table_place(self) -> str:
        return f"{self.source}:{self.table.line}" if self.table else self.source

    def _labels(self, entities: Iterable[str]) -> str:
        return "; ".join(label(entity, self.language) for entity in entities)

    def _about(self, what: str, clauses: Sequence[Clause]) -> list[Clause]:
        """Return the clauses about `what`, by heading or column, that name data of this table."""
        return [
            clause
            for clause in clauses
            if any(_WORDS.says(what, each) for each in (clause.heading, *_labels_in(clause.text)))
            and self._is_named(clause)
        ]

    def _is_named(self, clause: Clause) -> bool:
        """True if a clause names a kind of data of this table, or the people that it is about."""
        if clause.is_hidden:
            return False
        named = subjects_in(clause.text)
        if named:  # of other people it may name the same kind of data
            return bool(named & self.subjects)
        if any(map(clause.names, self.entities)):
            return True
        if any(map(clause.names, current_catalogue().personal_ids)):
            return False
        audience = self.audience.get(clause.source)  # what names nothing is of all their data
        return not audience or bool(audience & self.subjects)

    def _recipients(self) -> _Cell:
        mine = {column.column.casefold() for column in self.columns}
        sent = [flow for flow in self.document.flows if flow.host and flow.name.casefold() in mine]
        return (
            "; ".join(dict.fromkeys(flow.host for flow in sent)),
            "; ".join(dict.fromkeys(f"{flow.path}:{flow.line}" for flow in sent)),
        )

    def _retention(self, clauses: Sequence[Clause]) -> _Cell:
        """Return what the declaration and the clauses say that name this table's data."""
        said: list[_Cell] = []
        table = self.table
        if table is not None and table.retention_quote:
            said.append((table.retention_quote, self._table_place()))
        elif table is not None and (kept_periods(table.comment) != periods_in("")):
            said.append((table.comment, self._table_place()))
        kept = [each for each in clauses if each.periods or each.unclear_period]
        named = [each for each in kept if self._is_named(each)]
        articles = {(each.source, each.heading) for each in named}
        # An exception beside a period is a part of what the article says of it.
        beside = [
            each
            for each in clauses
            if each in named or (each.exception and (each.source, each.heading) in articles)
        ]
        said += [_quote_clauses([each]) for each in beside]
        return " ".join(words for words, _ in said), "; ".join(place for _, place in said)

    def _safeguards(self) -> _Cell:
        """Return which columns are declared encrypted, and whose values are all out of sight."""
        said: list[_Cell] = []
        for column in self.columns:
            if column.declared and declares_encryption(column):
                words = TEXTS("declared_encrypted", self.language, column=column.column)
                said.append((words, f"{column.source}:{column.line}"))
            elif column.sampled and column.out_of_sight == column.sampled:
                words = TEXTS(
                    "seen_masked", self.language, column=column.column, count=column.sampled
                )
                said.append((words, f"{column.source} {column.column}"))
        return "; ".join(words for words, _ in said), "; ".join(place for _, place in said)


def _labels_in(text: str) -> Iterator[str]:
    """Yield the headings that a row of a notice's table has before its cells."""
    return (part.partition(": ")[0] for part in text.split("; ") if ": " in part)


def _quote_clauses(clauses: Sequence[Clause]) -> _Cell:
    """Return the words of clauses, and where they stand."""
    return (
        " ".join(clause.text for clause in clauses),
        "; ".join(f"{clause.source}:{clause.line} {clause.id}" for clause in clauses),
    )


def _places(columns: Sequence[PiiColumn]) -> str:
    places = (
        f"{column.source}:{column.line}" if column.line else f"{column.source} {column.column}"
        for column in columns
    )
    return "; ".join(dict.fromkeys(places))
