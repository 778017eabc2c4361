"""Whose data it is: the patient's, the staff's, the customer's.

A name or a comment says it, and a privacy notice says whom it is addressed to. What only says
"user" or "you" may be anybody. The words lie in `words/subjects.toml`.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.reading.declaration import Schema, SchemaTable
from minerva_governance.core.review.notice import Clause
from minerva_platform.text import Language, read_texts, read_words

TEXTS = read_texts("minerva_governance.core.review", "review")
_WORDS = read_words("minerva_governance.core.review", "subjects")
_NAME_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
STAFF: Final = "staff"
"""Whose data a notice for customers does not cover, even where it names nobody."""
GUARDIAN: Final = "guardian"
"""Who consents for a child; a notice may collect data of theirs beside the child's."""
SUBJECTS: Final = ("patient", STAFF, "customer", "student", "applicant", GUARDIAN)


def subjects_in(text: str) -> frozenset[str]:
    """Return the kinds of person that a comment or a sentence names."""
    return frozenset(one for one in SUBJECTS if _WORDS.pattern(f"text.{one}").search(text))


def subjects_of_name(name: str) -> frozenset[str]:
    """Return the kinds of person that the name of a table, a file or a column tells."""
    parts = {part.upper() for part in _NAME_PARTS.findall(name)}
    parts |= {part.removesuffix("S") for part in parts}
    names = _WORDS.table("names")
    return frozenset(one for one in SUBJECTS if parts & set(names[one])) or subjects_in(name)


def subjects_of(column: PiiColumn, tables: dict[str, SchemaTable]) -> frozenset[str]:
    """Return whose data a column holds: by itself, else by its table; none if nothing says it."""
    own = subjects_of_name(column.column) or subjects_in(column.comment)
    if own:
        return own
    table = tables.get(column.table.casefold())
    return subjects_of_name(column.table) or (
        subjects_in(table.comment) if table is not None else frozenset()
    )


def tables_by_name(schemas: Sequence[Schema]) -> dict[str, SchemaTable]:
    """Return the declared tables by their names without case."""
    return {table.name.casefold(): table for schema in schemas for table in schema.tables}


def addressed_to(clauses: Iterable[Clause]) -> frozenset[str]:
    """Return whose data the clauses of a notice are about; none if they say "you" or nobody.

    Only what it says of items, purposes and periods counts: that staff are trained is no data of
    theirs. Guardians count where their data is collected: a consent that they give is none.
    """
    about = _WORDS.pattern("headings.about")
    found: set[str] = set()
    for clause in clauses:
        if clause.lists_items or clause.periods or about.search(clause.heading):
            found |= subjects_in(f"{clause.heading}. {clause.text}") - {GUARDIAN}
        if clause.guardian_items:
            found.add(GUARDIAN)
    return frozenset(found)


def label_of(subjects: Iterable[str], language: Language) -> str:
    """Return what people call kinds of person."""
    return ", ".join(TEXTS(f"subject.{one}", language) for one in SUBJECTS if one in set(subjects))
