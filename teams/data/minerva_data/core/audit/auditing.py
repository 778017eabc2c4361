"""Audit a standard table by computing it again, and by the rules of the standard.

What differs from the glossary is corrected in the table; what only the owner of the schema
can change (a name, a type, a word in a comment) is a finding. A name that the glossary does
not give never leaves the audit.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from minerva_data.core.audit import rule
from minerva_data.core.audit.rule import Standard, finding, place
from minerva_data.core.audit.table import model_alternatives, standard_rows
from minerva_data.core.glossary.glossary import Glossary
from minerva_data.core.glossary.priority import inversions, order_rows
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.lookup.overlap import as_candidate
from minerva_data.core.schema.record import Finding, Row, Severity, SourceRow

_NUMBERS: Final = "번호"
"""The domain class of 번호 and 식별자: 환자번호 and 환자식별자 may number one thing."""
_ROW_RULES: tuple[Callable[[Row, Standard], Iterator[Finding]], ...] = (
    rule.column_name,
    rule.name_length,
    rule.name_letters,
    rule.class_word_at_end,
    rule.declared_type,
    rule.has_domain,
    rule.word_choice,
    rule.plain_name,
)
_COMPARED = {
    "physical_name": "N1",
    "logical_name": "N1",
    "status": "N1",
    "domain": "D1",
    "data_type": "D2",
}


@dataclass(frozen=True, slots=True)
class Audit:
    """The corrected rows, every finding, and the pairs out of order before and after."""

    rows: tuple[Row, ...]
    findings: tuple[Finding, ...]
    inversions_given: int
    inversions_before: int
    inversions_after: int

    @property
    def total(self) -> int:
        """How many names were given."""
        return len(self.rows)

    @property
    def judgements(self) -> int:
        """How many of them have a standard name, by which the rules judge them."""
        return sum(row.status != "unresolved" for row in self.rows)

    @property
    def corrections(self) -> int:
        """How many fields of the table were wrong."""
        return sum(finding.corrected for finding in self.findings)


def audit(rows: Sequence[Row], standard: Standard, *, priority: Sequence[str]) -> Audit:
    """Return the audited table. `inversions_given` counts the order the items came in."""
    given = tuple(sorted(rows, key=lambda row: row.ordinal))
    expected = _recomputed(given, standard)
    findings = [
        found for pair in zip(given, expected, strict=True) for found in _differences(*pair)
    ]
    unique = Uniqueness(standard.lookup.glossary)
    for row in expected:
        findings += (*row_findings(row, standard), *unique.add(row))
    findings += unique.close()
    before = inversions((row.subject_area for row in rows), priority)
    final = order_rows(expected, priority)
    if before:
        findings.append(rule.order_corrected(before, priority))
    return Audit(
        rows=final,
        findings=tuple(sorted(findings, key=rule.by_severity)),
        inversions_given=inversions((row.subject_area for row in given), priority),
        inversions_before=before,
        inversions_after=inversions((row.subject_area for row in final), priority),
    )


def row_findings(row: Row, standard: Standard) -> Iterator[Finding]:
    """Yield what the rules say about one row by itself."""
    for check in _ROW_RULES:
        yield from check(row, standard)


def _recomputed(rows: tuple[Row, ...], standard: Standard) -> tuple[Row, ...]:
    """Return what the glossary says about the same items; a given subject area stays."""
    lookup: Lookup = standard.lookup
    answers = (lookup.recommend(row.item) for row in rows)
    # What a whole schema showed stays: the rows may be a part of it.
    answers = (
        as_candidate(one) if row.reason == "foreign_schema" else one
        for one, row in zip(answers, rows, strict=True)
    )
    fresh = standard_rows(answers, style=standard.style)
    return tuple(
        new.model_copy(
            update={
                "ordinal": old.ordinal,
                "subject_area": old.subject_area or new.subject_area,
                **_said_by_model(old, new, standard),
            }
        )
        for old, new in zip(rows, fresh, strict=True)
    )


def _said_by_model(old: Row, new: Row, standard: Standard) -> dict[str, Any]:
    """Return what stays on record of a model's help, none of which the audit has to believe."""
    if new.status != "unresolved":
        is_said = old.method == "llm"
        return {"method": "llm", "confidence": old.confidence} if is_said else {}
    said = tuple(model_alternatives(old, standard.lookup, standard.style))
    return {"alternatives": tuple(dict.fromkeys((*said, *new.alternatives)))} if said else {}


def _differences(row: Row, fresh: Row) -> Iterator[Finding]:
    """Yield a finding for each field that the table got wrong; the audit corrects them."""
    for field, rule_id in _COMPARED.items():
        before, after = getattr(row, field), getattr(fresh, field)
        if before != after:
            yield Finding(
                rule=rule_id,
                severity="high",
                place=rule.place(row),
                field=field,
                before=before or "",
                after=after or "",
                corrected=True,
                citations=fresh.citations[:1],
            )


class _Spelling(NamedTuple):
    """What a finding about the first column of one meaning says; the names that all have."""

    place: str
    physical_name: str
    citations: tuple[SourceRow, ...]
    names: dict[str, None]


class Uniqueness:
    """One name for one thing (U1), one thing under one name (U2, U3), seen while rows pass by.

    Of each name only what a finding says is kept: a hundred thousand rows would fill the memory.
    """

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
        rules: tuple[tuple[str, Severity, str, dict[str, _Spelling]], ...] = (
            ("U3", "low", "logical_name", self._keys),
            ("U2", "medium", "name", self._spellings),
        )
        for rule_id, severity, field, spellings in rules:
            for spelled in spellings.values():
                if len(spelled.names) > 1:
                    yield Finding(
                        rule=rule_id,
                        severity=severity,
                        place=spelled.place,
                        field=field,
                        before=", ".join(spelled.names),
                        after=spelled.physical_name,
                        citations=spelled.citations,
                    )
