"""The record of processing: GDPR Article 30; 개인정보파일 대장 (개인정보 보호법 제32조).

One row for each table or file that holds personal data. A cell is what the material says, and the
column after it says where that stands; what nobody has said stays empty, and nothing is invented.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from minerva_governance.core.detection.entity import label
from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.review.notice import Clause
from minerva_governance.report.build import is_special
from minerva_governance.report.document import Document, Told
from minerva_platform.text import Language, csv_text, read_texts

TEXTS = read_texts("minerva_governance.report", "register")
FIELDS: Final = (
    "name", "purpose", "legal_basis", "subjects", "categories", "special_categories", "recipients",
    "retention", "safeguards",
)  # fmt: skip
"""The cells of a row; beside each but the name stands `…_source`."""


def to_register(document: Document, clauses: Sequence[Clause]) -> str:
    """Return the register as CSV."""
    rows = [
        list(_row(name, list(columns), document, clauses))
        for name, columns in _by_table(document.inventory)
    ]
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
    yield from found.items()


def _row(
    name: str,
    columns: list[PiiColumn],
    document: Document,
    clauses: Sequence[Clause],
) -> Iterator[str]:
    language = document.language
    entities = dict.fromkeys(column.entity for column in columns)
    mine = {column.column.casefold() for column in columns}
    yield name
    yield from _said(_about("purpose", clauses))
    yield from _said(_about("legal_basis", clauses))
    yield from _said(_about("subjects", clauses))
    yield "; ".join(label(entity, language) for entity in entities)
    yield _places(columns)
    special = [entity for entity in entities if is_special(entity)]
    yield "; ".join(label(entity, language) for entity in special)
    yield _places([column for column in columns if column.entity in special])
    sent = [flow for flow in document.flows if flow.host and flow.name.casefold() in mine]
    yield "; ".join(dict.fromkeys(flow.host for flow in sent))
    yield "; ".join(dict.fromkeys(f"{flow.path}:{flow.line}" for flow in sent))
    yield from _said([clause for clause in clauses if clause.periods or clause.unclear_period])
    yield from _safeguards(name, document.findings, language)


def _about(what: str, clauses: Sequence[Clause]) -> list[Clause]:
    """Return the clauses of the notice whose heading says that they are about `what`."""
    words = TEXTS.row(what, "ko") + TEXTS.row(what, "en")
    return [
        clause
        for clause in clauses
        if any(word.casefold() in clause.heading.casefold() for word in words)
    ]


def _said(clauses: Sequence[Clause]) -> tuple[str, str]:
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


def _safeguards(name: str, findings: Sequence[Told], language: Language) -> tuple[str, str]:
    """Return which columns are out of sight as far as the rules have found out."""
    passed = [
        each
        for each in findings
        if each.status == "pass"
        and each.target.startswith(f"{name}.")
        and each.evidence
        and each.how == ""
        and "encrypt" in each.evidence.casefold() + each.title.casefold()
    ]
    del language
    return (
        "; ".join(f"{each.target}: {each.evidence}" for each in passed),
        "; ".join(dict.fromkeys(each.rule_id for each in passed)),
    )
