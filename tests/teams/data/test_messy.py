"""A legacy schema of 300 columns in every state that such schemas are found in, labelled by hand.

`messy.csv` says what each column should become, and nothing where a person has to decide. Its
column `mess` names what is wrong with it.
"""

import csv
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from minerva_data import AuditorAgent, PostProcessorAgent, RetrievalAgent
from minerva_data.core.audit.table import standard_rows, status_counts
from minerva_data.core.glossary.glossary import seed_glossary
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Row
from minerva_data.core.schema.schema_file import Schema, read_schema_file

SCHEMA = Path(__file__).with_name("messy.sql")
LABELS = Path(__file__).with_name("messy.csv")
Place = tuple[str, str]


@cache
def schema() -> Schema:
    """Return the schema as it is read."""
    return read_schema_file(SCHEMA)


@cache
def rows() -> tuple[Row, ...]:
    """Return the rows of the standard table."""
    lookup = Lookup(seed_glossary())
    return standard_rows(map(lookup.recommend, schema().columns), style="UPPER_SNAKE")


def labels(column: str) -> dict[Place, str]:
    """Return a column of the labels by table and column of the schema."""
    with LABELS.open(encoding="utf-8", newline="") as file:
        return {(row["table"], row["column"]): row[column] for row in csv.DictReader(file)}


def place(row: Row) -> Place:
    """Return the table and column that a row is about."""
    return (row.item.table or "", row.item.name)


def test_every_column_is_accounted_for_once() -> None:
    """Renamed, standard or unresolved: the counts add up, and no column is lost or doubled."""
    counts = status_counts(rows())

    assert [place(row) for row in rows()] == list(labels("mess"))
    assert counts["renamed"] + counts["standard"] + counts["unresolved"] == len(rows()) == 300
    assert schema().problems == []


def test_the_mess_is_of_many_kinds() -> None:
    """Plain columns are a few; each kind of mess is there several times."""
    kinds = Counter(labels("mess").values())

    assert len(kinds) >= 12
    assert kinds["plain"] < 50


def test_a_column_that_is_defined_twice_is_reported() -> None:
    """The first definition counts; that there was another is said."""
    assert [one.error for one in schema().duplicates] == [
        "column FILE_NM of TB_FILE is defined twice; the first is used"
    ]


@pytest.mark.parametrize("methods", [{"term_exact", "synonym"}, {"composed", "abbreviation"}])
def test_no_name_is_wrong(methods: set[str]) -> None:
    """Not among those that a term gives, and not among those that words compose."""
    standard = labels("standard")

    wrong = {
        place(row): (row.physical_name, standard[place(row)])
        for row in rows()
        if row.method in methods and row.physical_name not in {standard[place(row)], None}
    }

    assert wrong == {}


def test_what_can_be_resolved_is() -> None:
    """Refusing everything would be safe and useless."""
    resolved = {place(row) for row in rows() if row.physical_name}
    resolvable = {where for where, name in labels("standard").items() if name}

    assert resolvable - resolved == set()
    assert len(resolvable) >= 200


def test_each_refusal_says_why() -> None:
    """The parts in the way, or what collides: a person goes on from there."""
    unresolved = [row for row in rows() if row.status == "unresolved"]

    assert all(row.reason and row.unresolved_parts for row in unresolved)
    assert {row.reason for row in unresolved} >= {"unknown_words", "collision", "retired"}


@pytest.mark.slow
def test_the_workers_agree() -> None:
    """The audited plan holds all 300 columns; no name in it is another than the label's."""
    found = RetrievalAgent().invoke({"request": "표준화해줘", "schemas": [str(SCHEMA)]})
    table = PostProcessorAgent().invoke({"recommendation": found["recommendation"]})["table"]
    plan = AuditorAgent().invoke({"table": table})["plan"]

    standard = labels("standard")
    names = {(one["table"], one["column"]): one["physical_name"] for one in plan["columns"]}
    assert len(plan["columns"]) == len(names) == 300
    assert {where: name or "" for where, name in names.items()} == standard
