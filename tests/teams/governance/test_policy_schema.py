"""The published form of a policy and the check that loads one agree on every key and value."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from policy_schema import policy_schema, schema_text

from minerva_governance.core.policy.policy import PREDICATE_KINDS
from minerva_governance.core.policy.policy_file import PolicyError
from minerva_governance.core.policy.requirement_check import FORBID, REQUIRE
from minerva_governance.core.reading.source_files import Source
from minerva_governance.steps.policy_loading import load_policy

ROOT = Path(__file__).parents[3]
POLICY = """\
apiVersion: minerva/v1
policy: {id: trial, version: 1.2, owner: dpo, effective: 2026-01-01, title: T, description: D,
  overrides: [other]}
report: {mask: strict}
tags: {patient: TB_PATIENT, export: ["*.csv"]}
rules:
- id: A
  title: {ko: 가, en: A}
  description: why
  severity: critical
  applies_to: {kind: column, pii: [KR_RRN], tag: [patient], classification: restricted,
    tables: "TB_*", columns: ["*_NO"]}
  require: {encrypted: true, in_notice: true, standard_name: true}
  authority: [{title: Act, url: "https://example.org", clause: "24"}]
- {id: B, applies_to: {kind: table}, require: {retention_days: {max: 9, min: 3}}}
- {id: C, applies_to: {kind: dataset}, require: {k_anonymity: {quasi: [AGE], min: 5}}}
- {id: L, applies_to: {kind: dataset},
  require: {l_diversity: {quasi: [[AGE, SEX], [ZIP]], sensitive: [DIAG], min: 2}}}
- {id: D, applies_to: {kind: code_use, pii: any}, forbid: {sink: [print]}}
- {id: E, applies_to: {kind: dependency}, forbid: {license: [MIT]}, unknown: fail}
waivers:
- {rule: A, target: "T.*", until: 2026-12-31, by: dpo, reason: old}
"""


def fits(text: str) -> bool:
    """True if the published form takes `text`."""
    import jsonschema  # noqa: PLC0415  # it compiles 38 grammars

    data = json.loads(json.dumps(yaml.safe_load(text), default=str))
    checker = jsonschema.Draft202012Validator(policy_schema())
    return not list(checker.iter_errors(data))


def loads(folder: Path, text: str) -> bool:
    """True if the check of a review takes `text`."""
    path = folder / "p.yaml"
    path.write_text(text, encoding="utf-8")
    try:
        return load_policy(Source.of(path)) is not None
    except PolicyError:
        return False


def test_the_published_file_is_the_schema_of_the_code() -> None:
    """After a change of the keys: `python tests/support/policy_schema.py`."""
    import jsonschema  # noqa: PLC0415  # it compiles 38 grammars

    published = files("minerva_governance") / "schemas" / "policy.schema.json"

    assert published.read_text(encoding="utf-8") == schema_text()
    jsonschema.Draft202012Validator.check_schema(policy_schema())


def test_every_predicate_can_be_asked() -> None:
    """One that no section takes could never be written."""
    assert {*REQUIRE, *FORBID} == set(PREDICATE_KINDS)


def test_a_policy_with_every_key_fits_and_loads(tmp_path: Path) -> None:
    """All that the check knows stands in the published form."""
    assert (fits(POLICY), loads(tmp_path, POLICY)) == (True, True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("apiVersion: minerva/v1", "apiVersion: minerva/v2"),
        ("owner: dpo", "ownr: dpo"),
        ("{mask: strict}", "{mask: all}"),
        ("{mask: strict}", "{}"),
        ("{mask: strict}", "{masks: strict}"),
        ("overrides: [other]", "overrides: [[other]]"),
        ("tags: {patient: TB_PATIENT", "tags: {patient: 3"),
        ("tags:", "tag:"),
        ("severity: critical", "severity: urgent"),
        ("{ko: 가, en: A}", "{ko: 가, fr: A}"),
        ("pii: [KR_RRN]", "pii: [resident_no]"),
        ("pii: any", "pii: all"),
        ("tag: [patient]", "tag: []"),
        ("tag: [patient]", 'tag: " "'),
        ("columns:", "column:"),
        ("kind: dataset", "kind: files"),
        ("kind: table}", "kind: table, columns: A}"),
        ("kind: code_use", "kind: code_use, tag: x"),
        ("{kind: table}, require: {ret", "{kind: column}, require: {ret"),
        ("{kind: dependency}", "{kind: table}"),
        ("{encrypted: true,", "{encrypted: false,"),
        ("require: {encrypted: true", "requrie: {encrypted: true"),
        ("{max: 9, min: 3}", "{}"),
        ("{max: 9, min: 3}", "{max: 9, mni: 3}"),
        ("{max: 9, min: 3}", "0"),
        ("min: 5}", "min: 0}"),
        ("quasi: [AGE], ", ""),
        ("quasi: [AGE]", "quasi: []"),
        ("[[AGE, SEX], [ZIP]]", "[[AGE, SEX], []]"),
        ("[[AGE, SEX], [ZIP]]", "[[[AGE]]]"),
        ("sensitive: [DIAG]", "sensitive: []"),
        ("sensitive: [DIAG], ", ""),
        ("min: 2}", "min: two}"),
        ("forbid: {sink: [print]}", "forbid: {}"),
        ("forbid: {sink: [print]}", 'cel: "a == b"'),
        ("unknown: fail", "unknown: maybe"),
        ("sink: [print]", "sink: [fax]"),
        ("url:", "link:"),
        ("- {id: B, ", "- {"),
        ("until: 2026-12-31, ", ""),
        ("by: dpo, reason", "who: dpo, reason"),
    ],
)
def test_what_is_refused_does_not_fit(tmp_path: Path, old: str, new: str) -> None:
    """An editor underlines what a review would leave out."""
    assert old in POLICY
    text = POLICY.replace(old, new, 1)

    assert (fits(text), loads(tmp_path, text)) == (False, False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("retention_days: {max: 9, min: 3}", "retention_days: 9"),
        ("retention_days: {max: 9, min: 3}", "retention_days: {max: 9}"),
        ("sink: [print]", "sink: print"),
        ("quasi: [AGE]", "quasi: AGE"),
        ("quasi: [AGE]", "quasi: [[AGE], [SEX, ZIP]]"),
        ("sensitive: [DIAG]", "sensitive: DIAG"),
        ('tables: "TB_*"', "tables: [A, B]"),
        ("  severity: critical\n", ""),
        ("report: {mask: strict}\n", ""),
        ("mask: strict", "mask: partial"),
        (", unknown: fail", ""),
        ("apiVersion: minerva/v1\n", ""),
    ],
)
def test_what_loads_fits(tmp_path: Path, old: str, new: str) -> None:
    """An editor underlines nothing that a review takes."""
    assert old in POLICY
    text = POLICY.replace(old, new, 1)

    assert (fits(text), loads(tmp_path, text)) == (True, True)


@pytest.mark.parametrize(
    "path",
    [
        ROOT / "configs/examples/hospital/privacy.yaml",
        ROOT / "teams/governance/minerva_governance/seed/baseline.yaml",
    ],
    ids=lambda path: path.name,
)
def test_the_policies_of_the_repository_point_editors_to_the_schema(path: Path) -> None:
    """The path is relative to the file, and the policy fits what it names."""
    text = path.read_text(encoding="utf-8")
    named = text.splitlines()[0].partition("$schema=")[2]
    schema: dict[str, Any] = json.loads((path.parent / named).read_text(encoding="utf-8"))

    assert schema == policy_schema()
    assert fits(text)
