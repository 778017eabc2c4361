"""k and l are those of the whole file: by hand, and against a second way to count."""

import datetime as dt
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from minerva_governance import ComplianceAgent, PolicyAgent
from minerva_governance.answers.policy_explained import explain_rules
from minerva_governance.core.counting.classes import ClassFigures, k_anonymity, l_diversity
from minerva_governance.core.counting.tally import BATCH_ROWS, Group, TooManyClassesError, tallied
from minerva_governance.core.detection.data_file_scan import open_tables
from minerva_governance.core.detection.table_scan import DataScan, scan_data
from minerva_governance.core.policy.lint import lint
from minerva_governance.core.policy.policy import Policy, Requirement, Rule
from minerva_governance.core.predicates.classes import class_answers
from minerva_governance.core.predicates.rule_check import RuleCheck
from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.review.review import Review
from minerva_governance.core.tables.data_table import DataTable
from minerva_governance.steps.policy_loading import load_policy

PATIENTS = """\
AGE,SEX,ZIP,DIAG,DRUG
30,F,10, flu ,a
30,F,10,flu,b
30,F,10,cold,c
40,M,20,asthma,a
40,M,20,asthma,a
40,M,,asthma,a
40,M,,,b
"""
POLICY = """\
apiVersion: minerva/v1
policy: {{id: trial, owner: dpo@example.org}}
rules:
- id: LDIV
  severity: high
  applies_to: {{kind: dataset}}
  require:
    l_diversity: {{quasi: {quasi}, sensitive: [DIAG], min: 2}}
"""


def table(folder: Path, text: str) -> DataTable:
    """Return a CSV file as a table."""
    path = folder / "rows.csv"
    path.write_text(text, encoding="utf-8")
    (found,) = open_tables(Source.of(path))
    return found


def counted_by_hand(
    rows: Sequence[dict[str, str]], quasi: Sequence[str], sensitive: str, minimum: int
) -> tuple[int, int, int, int, int, list[int]]:
    """Return k, l, classes, small classes and their rows, and the first rows of the first five."""
    classes: dict[tuple[str, ...], list[tuple[int, str]]] = {}
    for number, row in enumerate(rows, start=1):
        key = tuple(row[name].strip() for name in quasi)
        classes.setdefault(key, []).append((number, row[sensitive].strip()))
    distinct = {key: len({value for _, value in held}) for key, held in classes.items()}
    small = [held for key, held in classes.items() if distinct[key] < minimum]
    return (
        min(len(held) for held in classes.values()),
        min(distinct.values()),
        len(classes),
        len(small),
        sum(map(len, small)),
        sorted(held[0][0] for held in small)[:5],
    )


def figures(found: ClassFigures) -> tuple[int, int | None, int, int, int, list[int]]:
    """Return what `counted_by_hand` gives."""
    return (
        found.k,
        found.distinct,
        found.classes,
        found.small_classes,
        found.small_rows,
        list(found.rows_below),
    )


def test_a_class_is_as_diverse_as_its_values_differ(tmp_path: Path) -> None:
    """Blanks do not count, missing values do: l is 2, 1 and 2 of three classes."""
    (found,) = l_diversity(table(tmp_path, PATIENTS), [("age", "sex", "zip")], ["diag"], minimum=2)

    assert figures(found) == (2, 1, 3, 1, 2, [4])
    assert (found.rows, found.lacking, found.uncounted_rows) == (7, 1, 0)


def test_each_set_is_counted_by_itself(tmp_path: Path) -> None:
    """Of one reading: k is 3 by age, 2 with the place."""
    by_age, by_place = k_anonymity(table(tmp_path, PATIENTS), [("AGE",), ("AGE", "ZIP")], minimum=3)

    assert (by_age.k, by_age.classes, by_age.small_classes, by_age.distinct) == (3, 2, 0, None)
    assert (by_place.k, by_place.classes, by_place.small_rows) == (2, 3, 4)
    assert by_place.rows_below == (4, 6)


def test_a_sensitive_column_among_the_quasi_identifiers_has_one_value_a_class(
    tmp_path: Path,
) -> None:
    """A column that is asked for twice is counted in both places."""
    (found,) = l_diversity(table(tmp_path, PATIENTS), [("AGE", "DIAG")], ["DIAG"], minimum=2)

    assert (found.distinct, found.small_classes) == (1, found.classes)


@pytest.mark.small(5)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_tables_give_what_a_second_count_gives(tmp_path: Path, seed: int) -> None:
    """Few and many classes, missing values, blanks, Hangul."""
    dice = random.Random(seed)  # noqa: S311  # no secret
    width = dice.choice([1, 3, 12])
    values = ["", " ", "가", "가 ", "a", "A", *map(str, range(width))]
    rows = [
        {name: dice.choice(values) for name in ("A", "B", "C", "S")}
        for _ in range(dice.randint(1, 400))
    ]
    text = "A,B,C,S\n" + "".join(f"{','.join(row.values())}\n" for row in rows)
    sets = [("A",), ("B", "C"), ("A", "B", "C")]
    minimum = dice.randint(1, 4)
    data = table(tmp_path, text)

    diverse = l_diversity(data, sets, ["S"], minimum=minimum)
    rows = [{**row, "S": row["S"].lower()} for row in rows]
    assert [figures(one) for one in diverse] == [
        counted_by_hand(rows, quasi, "S", minimum) for quasi in sets
    ]
    assert [one.k for one in k_anonymity(data, sets, minimum=minimum)] == [one.k for one in diverse]


def test_rows_of_one_person_hide_nobody(tmp_path: Path) -> None:
    """Where keys tell persons apart, k counts them: five rows of one person are k=1."""
    text = "ID,AGE\n" + "p1,30\n" * 5 + "p2,40\np3,40\n"
    (found,) = k_anonymity(table(tmp_path, text), [("AGE",)], minimum=2, person="ID")

    assert (found.k, found.rows_k, found.small_classes, found.rows_below) == (1, 2, 1, (1,))


@pytest.mark.parametrize(
    ("values", "distinct", "alike"),
    [
        (["Asthma", "asthma ", "ASTHMA"], 1, None),
        (["diabetes", "diabetes mellitus", "diabetis"], 3, 1),
        (["hypertension", "hypotension"], 2, None),
        (["E110", "E111"], 2, None),
        (["type 1 diabetes", "type 2 diabetes"], 2, None),
        (["+", "-"], 2, None),
    ],
)
def test_spellings_of_one_word_are_no_diversity(
    values: list[str], distinct: int, alike: int | None, tmp_path: Path
) -> None:
    """Case and blanks make no other value; what looks like one word is told as well."""
    text = "AGE,DIAG\n" + "".join(f"30,{value}\n" for value in values)
    (found,) = l_diversity(table(tmp_path, text), [("AGE",)], ["DIAG"], minimum=2)

    assert (found.distinct, found.alike) == (distinct, alike)


def test_classes_of_several_batches_are_one(tmp_path: Path) -> None:
    """The same values far apart in the file share a class; the lone last row is found."""
    text = "A,B\n" + "1,a\n" * (BATCH_ROWS + 1) + "2,b\n"
    (found,) = k_anonymity(table(tmp_path, text), [("A", "B")], minimum=2)

    assert (found.k, found.classes, found.rows) == (1, 2, BATCH_ROWS + 2)
    assert found.rows_below == (BATCH_ROWS + 2,)


def test_more_classes_than_the_memory_holds_are_given_up(tmp_path: Path) -> None:
    """Nothing goes to the disk instead."""
    rows = "".join(f"{at}-{'x' * 200}\n" for at in range(20_000))
    data = table(tmp_path, f"A\n{rows}")

    with pytest.raises(TooManyClassesError), tallied(data, [("A",)], memory="2MB"):
        pass


def test_a_count_that_was_given_up_is_no_answer(tmp_path: Path) -> None:
    """The rule is not evaluated, once for each set, and says why."""
    scan = scan_data(table(tmp_path, PATIENTS))
    asked = Requirement(predicate="k_anonymity", argument={"quasi": [["AGE"], ["SEX"]], "min": 2})
    rule = Rule(id="R", kind="dataset", requirements=(asked,))
    review = Review(today=dt.date(2026, 6, 15), scans=[scan])

    def count(_data: DataTable, _sets: Sequence[Group], _scan: DataScan) -> list[ClassFigures]:
        raise TooManyClassesError

    found = list(
        class_answers(
            RuleCheck(review, Policy(id="p"), rule, asked), count, lambda of_set: (of_set[0], "")
        )
    )

    assert [(one.status, one.columns) for one in found] == [
        ("not_evaluated", ("AGE",)),
        ("not_evaluated", ("SEX",)),
    ]
    assert "within the memory" in found[0].reason


def test_sets_that_tell_nothing_are_said(tmp_path: Path) -> None:
    """A sensitive column among its quasi-identifiers, a set within another, a minimum of one."""
    path = tmp_path / "p.yaml"
    quasi = "[[AGE, SEX], [age], [DIAG]]"
    path.write_text(POLICY.format(quasi=quasi).replace("min: 2", "min: 1"), encoding="utf-8")
    policy = load_policy(Source.of(path))
    assert policy is not None
    odd = [one.message for one in lint([policy], today=dt.date(2026, 6, 15), language="en")]

    assert ["in `quasi` too (DIAG)" in one for one in odd] == [False, True, False]
    assert "the set age of `quasi` lies within another one" in odd[0]
    assert "all data meet `min: 1`" in odd[2]


@pytest.mark.parametrize(
    ("quasi", "words"),
    [
        ("[AGE, SEX]", "share a combination of `AGE`, `SEX` hold at least 2"),
        ("[[AGE], [SEX, ZIP]]", "of (`AGE`) and of (`SEX`, `ZIP`) hold at least 2"),
    ],
)
def test_a_rule_is_explained_with_its_sets(tmp_path: Path, quasi: str, words: str) -> None:
    """One set plainly, several in brackets."""
    path = tmp_path / "p.yaml"
    path.write_text(POLICY.format(quasi=quasi), encoding="utf-8")
    policy = load_policy(Source.of(path))
    assert policy is not None

    assert words in explain_rules([policy], "LDIV", "en")


def test_half_a_pair_of_characters_is_a_value(tmp_path: Path) -> None:
    """JSON may hold what no text file can."""
    path = tmp_path / "rows.jsonl"
    path.write_text('{"A": "\\ud800"}\n{"A": "\\ud800"}\n{"A": "b\\u0000"}\n', encoding="utf-8")
    (data,) = open_tables(Source.of(path))
    (found,) = k_anonymity(data, [("A",)], minimum=2)

    assert (found.classes, found.small_classes, found.rows_below) == (2, 1, (3,))


def reviewed(folder: Path, quasi: str, rows: str = PATIENTS) -> dict[str, Any]:
    """Return the answer of a review of a folder with a policy and a data file."""
    (folder / "policy.yaml").write_text(POLICY.format(quasi=quasi), encoding="utf-8")
    (folder / "patients.csv").write_text(rows, encoding="utf-8")
    about = {"request": "check", "attachments": [folder]}
    policy = PolicyAgent().invoke(about)["policy"]
    return ComplianceAgent().invoke({**about, "policy": policy})


def test_a_finding_for_each_set_gives_k_and_l_and_names_rows(tmp_path: Path) -> None:
    """Figures and row numbers; no value of the file is shown."""
    answer = reviewed(tmp_path, "[[AGE, SEX, ZIP], [SEX]]")
    found = [one for one in answer["findings"]["findings"] if one["rule_id"] == "LDIV"]
    of_three, of_one = found

    assert [one["status"] for one in found] == ["fail", "pass"]
    assert (of_three["columns"], of_one["columns"]) == (["AGE", "SEX", "ZIP"], ["SEX"])
    assert (of_three["measures"]["k"], of_three["measures"]["l"]) == (2, 1)
    assert [place["row"] for place in of_three["citations"]] == [4]
    assert of_three["evidence"].startswith("l=1 (minimum 2): a class holds 1 different values")
    document = next(a["content"] for a in answer["artifacts"] if a["name"] == "findings.json")
    assert "asthma" not in document
    assert "flu" not in document


def test_a_set_that_the_file_lacks_is_its_own_answer(tmp_path: Path) -> None:
    """The other set is counted all the same."""
    answer = reviewed(tmp_path, "[[SEX], [SEX, TOWN]]")
    found = [one for one in answer["findings"]["findings"] if one["rule_id"] == "LDIV"]

    assert {tuple(one["columns"]): one["status"] for one in found} == {
        ("SEX",): "pass",
        ("SEX", "TOWN"): "not_evaluated",
    }


@pytest.mark.slow
def test_rows_that_could_not_be_counted_keep_a_rule_from_passing(tmp_path: Path) -> None:
    """A long row may be a class of its own; it cannot mend two small ones."""
    cut = f"30,F,10,{'x' * 200_000},a\n"
    diverse = "AGE,SEX,ZIP,DIAG,DRUG\n30,F,10,a,a\n30,F,10,b,a\n"
    small = "AGE,SEX,ZIP,DIAG,DRUG\n30,F,10,a,a\n40,F,10,b,a\n"
    statuses: list[set[str]] = []
    for at, rows in enumerate((diverse, diverse + cut, small + cut)):
        folder = tmp_path / str(at)
        folder.mkdir()
        found = reviewed(folder, "[AGE, SEX]", rows)["findings"]["findings"]
        statuses.append({one["status"] for one in found if one["columns"]})

    assert statuses == [{"pass"}, {"not_evaluated"}, {"fail"}]
