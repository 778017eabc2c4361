"""What a worker puts into its state, or hands on, is the same afterwards, or is refused by name."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import copies
import pytest
from foreign_types import handoff_types, state_types
from forms import IS_WHOLE, forms
from ledger import Store
from type_table import EQUAL, SAME, rows, rows_of_page

from minerva_platform.storage.engine.location import PostgresPlace

SUPPORT = Path(__file__).parents[1] / "support"
CASES: dict[str, Any] = {"paused_types": state_types.CASES, "crossing_types": handoff_types.CASES}
FEW = 20
"""`make test` takes every twelfth case through processes; `make chaos` takes all."""
NEEDS_PANDAS = {"pandas_frame", "numpy_pandas_scalars", "any_pandas"}


@pytest.mark.parametrize(("kind", "same"), [("state", 66), ("handoff", 74)])
def test_each_value_is_as_the_page_says(kind: str, same: int) -> None:
    """80 values each, by people who had seen no code: none becomes another without a word."""
    page, found = rows_of_page(kind), rows(kind)

    assert len(page) == 80
    assert page.keys() - found.keys() <= NEEDS_PANDAS
    assert found == {name: outcome for name, outcome in page.items() if name in found}
    assert not [name for name, outcome in page.items() if "CHANGED" in outcome]
    assert sum(outcome == SAME for outcome in page.values()) == same


def _lines(program: str, *arguments: str, store: Store, only: list[str]) -> list[dict[str, Any]]:
    variables = {"MINERVA_TYPES": ",".join(only)}
    if isinstance(store.place, PostgresPlace):
        variables["MINERVA_STORAGE_URL"] = store.address
    run = subprocess.run if IS_WHOLE else copies.run  # a real one has a hash seed of its own
    done = run(
        [sys.executable, SUPPORT / f"{program}.py", *arguments],
        env={**os.environ, **variables, "PYTHONPATH": str(SUPPORT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("store", "program", "step"),
    forms(
        [(store, program, 1) for store in ("sqlite", "postgres") for program in CASES],
        zip(("sqlite", "postgres"), CASES, (FEW, FEW), strict=True),
    ),
    indirect=["store"],
)
def test_each_value_outlives_a_question_and_its_process(
    store: Store, program: str, step: int, minerva_home: Path
) -> None:
    """A process asks, another one answers: the same value, or nobody was asked."""
    kind = {"paused_types": "state", "crossing_types": "handoff"}[program]
    page = {name: row for name, row in rows_of_page(kind).items() if name not in NEEDS_PANDAS}
    only = [case.name for case in CASES[program] if case.name in page][::step]

    asked = _lines(program, "ask", store=store, only=only)
    waiting = {each["case"]: [each["run"], *each["asks"]] for each in asked if each["asks"]}
    answered = _lines(program, "answer", json.dumps(waiting), store=store, only=only)

    assert [each["case"] for each in asked] == only
    assert waiting.keys() == {name for name in only if page[name] in {SAME, EQUAL}}
    assert all(len(questions) == 2 for questions in waiting.values())
    refused = {
        each["case"]: str(each.get("failures") or each["summary"])
        for each in asked
        if not each["asks"]
    }
    assert all(
        "holds a value of the type" in text or "may hold a" in text for text in refused.values()
    )
    assert {each["case"] for each in answered} == waiting.keys()
    wrong = [each for each in answered if not each["summary"].endswith("same")]
    assert [each["case"] for each in wrong] == [name for name in waiting if page[name] == EQUAL]
    assert (minerva_home / "state.db").exists() != isinstance(store.place, PostgresPlace)
