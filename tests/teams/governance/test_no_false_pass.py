"""Properties of every pass: whatever could break the rule was looked at, and nothing breaks it."""

import datetime as dt
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from minerva_governance.core.detection.inventory import inventory
from minerva_governance.core.detection.table_scan import scan_data
from minerva_governance.core.policy.policy import (
    PREDICATE_KINDS,
    Policy,
    Predicate,
    Requirement,
    Rule,
    TargetKind,
    Waiver,
)
from minerva_governance.core.reading.declaration import Schema, SchemaTable
from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.review.evaluation import MAX_NAMED_UNREVIEWED, evaluate
from minerva_governance.core.review.finding import Finding
from minerva_governance.core.review.notice import Clause
from minerva_governance.core.review.review import CodeSearch, CodeUse, NamedColumn, Review
from minerva_governance.core.review.unreviewed import Unreviewed
from minerva_governance.core.tables.data_file import open_data_file

CIPHER = "Z2NtLXNpdg==a1b2c3d4"
LIMIT = 1095
ARGUMENTS: dict[Predicate, dict[str, Any]] = {
    "encrypted": {},
    "in_notice": {},
    "standard_name": {},
    "retention_days": {"max": LIMIT},
    "k_anonymity": {"quasi": ["AGE"], "min": 2},
    "l_diversity": {"quasi": ["AGE"], "sensitive": ["JUMIN_NO"], "min": 1},
    "sink": {"names": ["logging"]},
}
"""What each predicate is asked with; `license` has tests of its own, as it needs an extra."""


def clause(at: int, **fields: Any) -> Clause:
    """Return a clause of the notice."""
    given = {"id": f"1.{at}", "text": f"clause {at}", "source": "privacy.md", "line": at}
    return Clause.model_validate({**given, **fields})


def policy(predicate: Predicate, *, waivers: tuple[Waiver, ...] = ()) -> Policy:
    """Return a policy that asks one thing of everything of its kind."""
    requirement = Requirement(predicate=predicate, argument=ARGUMENTS[predicate])
    (kind, *_) = PREDICATE_KINDS[predicate]
    rule = Rule(id="R", kind=kind, requirements=(requirement,))
    return Policy(id="p", rules=(rule,), waivers=waivers)


@pytest.fixture
def clean(tmp_path: Path) -> Review:
    """A review in which each rule passes everywhere."""
    path = tmp_path / "rows.csv"
    path.write_text("AGE,JUMIN_NO\n" + f"3,{CIPHER}\n" * 5, encoding="utf-8")
    scans = [scan_data(open_data_file(Source.of(path)), promises={})]
    return Review(
        today=dt.date(2026, 6, 15),
        scans=scans,
        schemas=[Schema(source="s.sql", tables=(SchemaTable(name="T", line=1),))],
        columns=inventory(scans, []),
        clauses=[clause(1, items="주민등록번호, 나이"), clause(2, periods=(365,))],
        naming=[NamedColumn(table="T", column="PT_ID", standard="PT_ID", is_resolved=True)],
        code=CodeSearch(uses=(CodeUse(name="JUMIN_NO", path="a.py", line=1),)),
    )


def of(found: Sequence[Finding], status: str) -> list[str]:
    """Return the targets with that status."""
    return [finding.target for finding in found if finding.status == status]


@pytest.mark.parametrize("predicate", ARGUMENTS)
def test_the_clean_review_passes(clean: Review, predicate: Predicate) -> None:
    """Or the tests below would prove nothing."""
    found = evaluate(clean, [policy(predicate)])
    about = [one for one in found if one.rule_id == "R"]

    assert of(about, "pass")
    assert not of(about, "fail")
    assert all(one.evidence for one in about if one.status == "pass")


@pytest.mark.parametrize("predicate", ARGUMENTS)
@pytest.mark.parametrize("count", [1, MAX_NAMED_UNREVIEWED + 5])
def test_what_was_not_looked_at_is_an_answer_of_each_rule_it_could_break(
    clean: Review, predicate: Predicate, count: int
) -> None:
    """By name up to a number, and all in a count; no pass speaks for everything then."""
    asked = policy(predicate)
    kinds: frozenset[TargetKind] = frozenset({asked.rules[0].kind})
    unread = [Unreviewed(name=f"f{at}", kinds=kinds, reason="locked") for at in range(count)]
    found = evaluate(replace(clean, unreviewed_parts=unread), [asked])
    about = [one for one in found if one.rule_id == "R"]
    open_ = {one.target: one.reason for one in about if one.status == "not_evaluated"}

    assert "*" not in of(about, "pass")
    assert {f"f{at}" for at in range(min(count, MAX_NAMED_UNREVIEWED))} <= set(open_)
    assert all(open_.values())


@pytest.mark.parametrize("predicate", ["encrypted", "k_anonymity", "l_diversity", "in_notice"])
def test_a_table_that_was_read_in_part_does_not_pass(clean: Review, predicate: Predicate) -> None:
    """Its rows, columns or bytes that are missing could hold anything."""
    asked = policy(predicate)
    part = Unreviewed(name="rows.csv", kinds=frozenset({asked.rules[0].kind}), reason="cut")
    found = evaluate(replace(clean, unreviewed_parts=[part]), [asked])

    about = [one for one in found if one.rule_id == "R" and one.target.startswith("rows.csv")]

    assert of(about, "not_evaluated")
    assert of(about, "pass") == []


@pytest.mark.parametrize("code", [None, CodeSearch(), {"truncated": True}])
def test_code_that_was_not_all_searched_does_not_pass(clean: Review, code: Any) -> None:
    """Not searched, no use found, or a list that was cut."""
    assert clean.code is not None
    given = clean.code.model_copy(update=code) if isinstance(code, dict) else code
    found = evaluate(replace(clean, code=given), [policy("sink")])

    assert [one for one in found if one.rule_id == "R" and one.status == "pass"] == []


@pytest.mark.parametrize("seed", range(40))
def test_retention_passes_only_if_every_clause_keeps_the_limit(clean: Review, seed: int) -> None:
    """Against a second statement of the rule, on clauses thrown by dice."""
    dice = random.Random(seed)  # noqa: S311  # no secret
    clauses = [
        clause(
            at,
            periods=tuple(
                dice.choices([90, 365, LIMIT, LIMIT + 1, 2190], k=dice.choice([0, 1, 2]))
            ),
            unclear_period=dice.choice(["", "", "", "until you leave"]),
            exception=dice.choice(["", "", "", "unless the law requires longer"]),
        )
        for at in range(dice.randint(0, 4))
    ]
    found = evaluate(replace(clean, clauses=clauses), [policy("retention_days")])
    (status,) = {one.status for one in found if one.rule_id == "R"}
    periods = [days for each in clauses for days in each.periods]
    is_open = any(each.unclear_period or each.exception for each in clauses)
    expected = "not_evaluated" if is_open or not periods else "pass"

    assert status == ("fail" if any(days > LIMIT for days in periods) else expected)


@pytest.mark.parametrize(
    ("names", "expected"), [(["EMAIL"], "fail"), (["KR_RRN"], "pass"), ([], "not_evaluated")]
)
def test_a_column_passes_only_if_a_shown_clause_names_it(
    clean: Review, names: list[str], expected: str
) -> None:
    """A clause that a page hides, or that is no list of items, names nothing."""
    words = {"EMAIL": "이메일", "KR_RRN": "주민등록번호"}
    listing = [clause(at, items=words[name]) for at, name in enumerate(names)]
    hidden = clause(9, text="주민등록번호", is_hidden=True)
    found = evaluate(replace(clean, clauses=[*listing, hidden]), [policy("in_notice")])
    about = [one for one in found if "JUMIN_NO" in one.target or one.target == "*"]

    assert {one.status for one in about if one.rule_id == "R"} == {expected}


@pytest.mark.parametrize("predicate", ARGUMENTS)
def test_a_waiver_makes_no_pass(clean: Review, predicate: Predicate) -> None:
    """It covers failures; what is not known stays not known."""
    asked = policy(predicate)
    waiver = Waiver(rule="R", target="*", until=dt.date(2099, 1, 1))
    part = Unreviewed(name="f", kinds=frozenset({asked.rules[0].kind}), reason="locked")
    review = replace(clean, unreviewed_parts=[part])
    plain = evaluate(review, [asked])
    waived = evaluate(review, [policy(predicate, waivers=(waiver,))])

    assert of(waived, "pass") == of(plain, "pass")
    assert of(waived, "not_evaluated") == of(plain, "not_evaluated")


@pytest.mark.parametrize("predicate", ARGUMENTS)
def test_nothing_at_all_passes_nothing(predicate: Predicate) -> None:
    """An empty review has looked at nothing, and says so once a rule."""
    found = evaluate(Review(today=dt.date(2026, 6, 15)), [policy(predicate)])

    assert [(one.rule_id, one.status, bool(one.reason)) for one in found] == [
        ("R", "not_evaluated", True)
    ]
