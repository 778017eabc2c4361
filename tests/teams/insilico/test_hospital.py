"""The made-up hospital: what is planted there is found."""

from collections.abc import Callable
from pathlib import Path

import pytest

from minerva_insilico.core.docstrings.coverage import coverage
from minerva_insilico.core.fields.usage import field_uses, sink_uses
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.index.indexer import index_tree
from minerva_insilico.core.queries.caller import find_callers

Open = Callable[[Path], Index]

HOSPITAL = Path(__file__).parents[3] / "configs" / "examples" / "hospital"


@pytest.mark.slow
def test_all_modules_but_the_planted_one_are_indexed() -> None:
    """Twelve modules, one of which was written for Python 2."""
    found = index_tree(HOSPITAL)

    assert (found.files, found.parsed) == (12, 11)
    assert [(item.path, item.line) for item in found.failed] == [("app/legacy_batch.py", 8)]


def test_the_values_that_reach_a_log_are_found(open_index: Open) -> None:
    """The resident number goes to a log, a phone number to a print."""
    found = {(use.name, use.sink) for use in sink_uses(open_index(HOSPITAL)).items}

    assert {("jumin_no", "logging"), ("hp_no", "print")} <= found


def test_a_renamed_column_is_found_in_every_form(open_index: Open) -> None:
    """SQL, attributes and keys of the patient's name, each line as it stands in the file."""
    found = field_uses(open_index(HOSPITAL), ["PAT_NM"])

    assert {"attribute", "dict_key", "keyword", "sql_string"} <= {use.kind for use in found.items}
    for use in found.items:
        line = (HOSPITAL / use.path).read_text(encoding="utf-8").splitlines()[use.line - 1]
        assert "pat_nm" in line.lower()


def test_modules_are_named_as_the_application_imports_them(open_index: Open) -> None:
    """`from app.models import Patient` proves who builds a patient."""
    hits = find_callers(open_index(HOSPITAL), "app.models.Patient").items

    assert hits
    assert {hit.why for hit in hits} == {"exact"}


def test_less_than_half_is_documented(open_index: Open) -> None:
    """About 40 % of the definitions have a docstring."""
    percent = coverage(open_index(HOSPITAL)).percent

    assert percent is not None
    assert 30 <= percent <= 50
