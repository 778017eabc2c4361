"""What a rule is about: tags of the policy and of the organisation, classes, patterns of names."""

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from minerva_governance.core.detection.inventory import inventory
from minerva_governance.core.policy.policy import Policy, Requirement, Rule
from minerva_governance.core.policy.policy_file import PolicyError
from minerva_governance.core.predicates.rule_check import RuleCheck
from minerva_governance.core.reading.declaration import Schema, SchemaColumn, SchemaTable
from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.review.evaluation import evaluate
from minerva_governance.core.review.review import Review
from minerva_governance.steps.policy_loading import load_policy

SCHEMA = Schema(
    source="crm.odcs.yaml",
    tables=(
        SchemaTable(name="customer", line=1, tags=("crm",), classification="Restricted"),
        SchemaTable(name="product", line=9, classification="public"),
    ),
    columns=(
        SchemaColumn(table="customer", name="email", data_type="text", line=2, tags=("PII",)),
        SchemaColumn(table="customer", name="score", data_type="int", line=3, tags=("pii",)),
        SchemaColumn(
            table="customer", name="phone", data_type="text", line=4, classification="public"
        ),
        SchemaColumn(table="product", name="maker_email", data_type="text", line=10),
    ),
)


def check(**scope: Any) -> RuleCheck:
    """Return the check of a rule on columns, narrowed down to `scope`."""
    rule = Rule(id="R", kind="column", requirements=(Requirement(predicate="encrypted"),), **scope)
    review = Review(today=dt.date(2026, 6, 15), schemas=[SCHEMA], columns=inventory([], [SCHEMA]))
    return RuleCheck(review, Policy(id="p", rules=(rule,)), rule, rule.requirements[0])


@pytest.mark.parametrize(
    ("scope", "targets"),
    [
        ({"tags": ("pii",)}, ["customer.email"]),
        ({"tags": ("crm",)}, ["customer.email", "customer.phone"]),
        ({"tags": ("none", "Pii")}, ["customer.email"]),
        ({"classifications": ("restricted",)}, ["customer.email"]),
        ({"classifications": ("public",)}, ["customer.phone", "product.maker_email"]),
        ({"tables": ("prod*",)}, ["product.maker_email"]),
        ({"columns": ("*EMAIL",)}, ["customer.email", "product.maker_email"]),
        ({"columns": ("*email",), "tables": ("customer",)}, ["customer.email"]),
        ({"columns": ("nothing",)}, []),
    ],
)
def test_a_rule_is_about_what_all_its_keys_fit(scope: dict[str, Any], targets: list[str]) -> None:
    """Words of one key are alternatives; a column's own class goes before its table's."""
    asked = check(**scope)

    assert [column.target for column in asked.personal_columns()] == targets
    assert asked.has_target() is bool(targets)


def test_a_column_that_the_organisation_tags_does_not_pass_unknown() -> None:
    """Nobody found out what `score` holds, but the contract calls it personal."""
    asked = check(tags=("pii",))
    found = evaluate(asked.review, [asked.policy])

    assert ("customer.score", "not_evaluated") in [(f.target, f.status) for f in found]
    assert not [f for f in found if f.status == "pass"]


def test_a_rule_for_some_kinds_leaves_other_tagged_columns_out() -> None:
    """What `score` holds does not matter to a rule on e-mail addresses."""
    assert check(tags=("pii",), pii=("EMAIL",)).unknown_columns() == []


POLICY = """\
apiVersion: minerva/v1
policy: {id: trial}
rules:
- id: R
  applies_to: {kind: column, tag: [pii, health], classification: restricted, tables: "TB_*",
    columns: ["*_NO"]}
  require: {encrypted: true}
"""


def load(tmp_path: Path, text: str) -> Policy:
    """Load `text` as a policy."""
    path = tmp_path / "p.yaml"
    path.write_text(text, encoding="utf-8")
    policy = load_policy(Source.of(path))
    assert policy is not None
    return policy


def test_each_key_takes_a_word_or_a_list(tmp_path: Path) -> None:
    """As people write YAML."""
    (rule,) = load(tmp_path, POLICY).rules

    assert (rule.tags, rule.classifications) == (("pii", "health"), ("restricted",))
    assert (rule.tables, rule.columns) == (("TB_*",), ("*_NO",))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[pii, health]", "[]", "`tag` holds no word"),
        ("kind: column", "kind: code_use", "narrows down"),
        ('["*_NO"]', f'["{"*a" * 150}"]', "longer than 200 characters"),
        ("classification:", "clasification:", "did you mean `classification`?"),
        ("require: {encrypted: true}", "require: {}", "asks nothing"),
        ("require: {encrypted: true}", 'cel: "a == b"', "`cel` is not looked at"),
    ],
)
def test_a_scope_that_narrows_nothing_is_refused(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    """A key without effect is a rule that is not the one that was meant."""
    with pytest.raises(PolicyError, match=r"p\.yaml:[4-7]: rule R: ") as caught:
        load(tmp_path, POLICY.replace(old, new))

    assert words in str(caught.value)
