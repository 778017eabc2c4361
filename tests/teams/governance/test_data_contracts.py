"""Tables that are declared in YAML: data contracts by ODCS, and dbt's property files."""

from pathlib import Path
from typing import Any

import pytest

from minerva_governance import ComplianceAgent, PolicyAgent
from minerva_governance.core.data_contracts.contract_file import contract_kind, read_contract
from minerva_governance.core.data_contracts.odcs_contract import periods_in_days
from minerva_governance.core.data_contracts.yaml_tree import read_tree
from minerva_governance.core.reading.declaration import Schema
from minerva_governance.core.reading.source_files import Source
from minerva_reading import UnreadableError

# After the full example of ODCS 3.1 (bitol.io), with other words.
ODCS = """\
apiVersion: v3.1.0
kind: DataContract
id: 53581432-6c55-4ba2-a65f-72344a91553a
version: 1.1.0
status: active
tags: [transactions]
schema:
  - id: receivers
    name: tbl
    physicalName: tbl_1
    physicalType: table
    businessName: Core Payment Metrics
    description: Provides core payment metrics
    tags: [finance, payments]
    dataGranularityDescription: Aggregation on columns
    properties:
      - name: transaction_reference_date
        physicalName: txn_ref_dt
        primaryKey: false
        businessName: transaction reference date
        logicalType: date
        physicalType: date
        classification: public
      - name: rcvr_email
        physicalType: varchar(320)
        description: E-mail of the receiver
        classification: restricted
        criticalDataElement: true
        encryptedName: rcvr_email_encrypt
        tags: [PII]
        customProperties:
          - property: policyTags
            value: [contact, gdpr]
          - {property: owner, value: dpo}
          - {property: maskedInTest, value: true}
      - name: rcvr_email_encrypt
        logicalType: string
      - name: resident_no
        logicalType: string
        customProperties:
          - {property: data_encryption, value: AES-256}
          - {property: encrypted, value: "true"}
      - name: address
        logicalType: object
        properties:
          - {name: city, logicalType: string}
      - name: phones
        logicalType: array
        items:
          logicalType: object
          properties:
            - {name: number, logicalType: string}
  - name: log
    properties: []
slaProperties:
  - {property: latency, value: 4, unit: d, element: tbl_1.txn_ref_dt}
  - {property: retention, value: 3, unit: y, element: tbl_1.txn_ref_dt}
"""

DBT = """\
version: 2

models:
  # what the clinic bills
  - name: patients
    description: "One row a {{ doc('patient') }}"
    config:
      tags: [clinical]
      meta: {data_classification: confidential, retention: 5 years}
      contract: {enforced: true}
    columns:
      - name: email
        description: E-mail address
        data_type: varchar
        meta: &personal
          contains_pii: true
          classification: PII
        tests: [not_null]
      - name: phone
        config:
          meta:
            <<: *personal
            encrypted: false
          tags: contact
  - name: visits
sources:
  - name: raw
    meta: {owner: "@data"}
    tables:
      - name: people
        identifier: TB_PEOPLE
        columns:
          - {name: ssn, meta: {encryption: sha256}}
"""


def read(path: Path, text: str) -> Schema:
    """Return what `text` declares."""
    file = path / "schema.yml"
    file.write_text(text, encoding="utf-8")
    kind = contract_kind(text)
    assert kind is not None
    return read_contract(Source.of(file), kind, language="en")


def test_a_data_contract_declares_tables_and_columns(tmp_path: Path) -> None:
    """By their physical names, with what stands inside objects and lists, and their lines."""
    schema = read(tmp_path, ODCS)

    assert [(one.name, one.data_type) for one in schema.columns] == [
        ("txn_ref_dt", "date"),
        ("rcvr_email", "varchar(320)"),
        ("rcvr_email_encrypt", "string"),
        ("resident_no", "string"),
        ("address", "object"),
        ("address.city", "string"),
        ("phones", "array"),
        ("phones.number", "string"),
    ]
    assert {one.table for one in schema.columns} == {"tbl_1"}
    lines = ODCS.splitlines()
    assert all("name:" in lines[one.line - 1] for one in schema.columns)
    (problem,) = schema.problems
    assert lines[problem.line - 1] == "  - name: log"
    assert problem.message == "it lists no columns, so none was looked at."


def test_what_a_contract_says_about_columns_is_kept(tmp_path: Path) -> None:
    """Classification, tags, the organisation's own fields, encryption, retention."""
    schema = read(tmp_path, ODCS)
    said = {one.name: (one.classification, one.tags) for one in schema.columns if one.tags}
    encrypted = {one.name: one.declared_encrypted for one in schema.columns}

    assert said == {
        "txn_ref_dt": ("public", ("public",)),
        "rcvr_email": (
            "restricted",
            ("restricted", "PII", "critical", "contact", "gdpr", "owner:dpo", "maskedInTest"),
        ),
        "resident_no": ("", ("data_encryption:AES-256",)),
    }
    assert {name for name, one in encrypted.items() if one} == {"rcvr_email_encrypt", "resident_no"}
    assert encrypted["rcvr_email"] is None
    table = schema.tables[0]
    assert (table.tags, table.retention_days) == (("finance", "payments", "transactions"), 1095)
    assert schema.tables[1].retention_days is None


def test_a_dbt_file_declares_models_and_sources(tmp_path: Path) -> None:
    """`meta` and `tags` stand in two places; merge keys hold; undocumented columns are named."""
    schema = read(tmp_path, DBT)

    assert [
        (one.table, one.name, one.classification, one.tags, one.declared_encrypted)
        for one in schema.columns
    ] == [
        ("patients", "email", "PII", ("contains_pii", "PII"), None),
        ("patients", "phone", "PII", ("contact", "contains_pii", "PII"), False),
        ("TB_PEOPLE", "ssn", "", (), True),
    ]
    assert [(one.name, one.tags, one.retention_days) for one in schema.tables] == [
        ("patients", ("clinical", "confidential"), 1825),
        ("visits", (), None),
        ("TB_PEOPLE", ("owner:@data",), None),
    ]
    told = [each.message for each in schema.problems]
    assert {DBT.splitlines()[each.line - 1] for each in schema.problems} == {"  - name: visits"}
    assert told[0] == "it lists no columns, so none was looked at."
    assert told[1].startswith("dbt lists the documented columns only")


@pytest.mark.parametrize(
    ("text", "unit", "days"),
    [
        ("3", "y", 1095),
        ("18", "months", 540),
        ("P3Y", "", 1095),
        ("P1Y6M", "", 545),
        ("5 years", "", 1825),
        ("3년", "", 1095),
        ("90", "days", 90),
        ("2.0", "yr", 730),
        ("90", "", None),
        ("unlimited", "", None),
        ("9", "lightyears", None),
        ("P", "", None),
    ],
)
def test_a_period_is_a_number_of_days_or_unknown(text: str, unit: str, days: int | None) -> None:
    """Nothing is guessed: a bare number has no unit."""
    assert periods_in_days(text, unit) == days


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (ODCS, "odcs"),
        (DBT, "dbt"),
        ("models: {shop: {+materialized: view}}\n", None),
        ("apiVersion: minerva/v1\nmodels:\n  - name: x\n", None),
        ("models:\n  gpt: x\n", None),
    ],
)
def test_a_file_says_what_it_is(text: str, kind: str | None) -> None:
    """A dbt project's own settings, a policy, anybody's models are no lists of tables."""
    assert contract_kind(text) == kind


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (BOMB, "more than 1,000,000 values"),
        ("- " * 50_000, "nested more than 40 levels"),
        ("a: " + "[" * 100_000, "nested more than 40 levels"),
        ("a: &a [*a]\n", "cannot be read as YAML"),
        ("a: *b\n", "cannot be read as YAML"),
        ("a: [1\n", "cannot be read as YAML"),
        ("\0", "cannot be read as YAML"),
    ],
)
def test_a_bomb_is_refused(text: str, reason: str) -> None:
    """Aliases that grow, nesting without end, an anchor that holds itself."""
    with pytest.raises(UnreadableError, match=reason):
        read_tree(text)


def test_no_constructor_runs() -> None:
    """A tag is not a call: its value is text."""
    (node,) = read_tree("!!python/object/apply:os.system [echo 1]\n")

    assert [item.text for item in node.items] == ["echo 1"]


POLICY = """\
apiVersion: minerva/v1
policy: {id: trial}
rules:
- id: ENC
  severity: high
  applies_to: {kind: column, pii: [EMAIL]}
  require: {encrypted: true}
- id: RET
  applies_to: {kind: table}
  require: {retention_days: {max: 400}}
"""


@pytest.mark.parametrize("attach_by_name", [True, False])
def test_a_review_reads_contracts_wherever_they_are(tmp_path: Path, attach_by_name: bool) -> None:  # noqa: FBT001
    """Attached by name or in a folder; the policy worker takes none of them for a policy."""
    folder = tmp_path / "given"
    folder.mkdir()
    files = {"policy.yaml": POLICY, "contract.odcs.yaml": ODCS, "_models.yml": DBT}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    paths = sorted(folder.iterdir()) if attach_by_name else [folder]
    policy = PolicyAgent().invoke({"request": "check", "attachments": paths})
    answer: dict[str, Any] = ComplianceAgent().invoke(
        {"request": "check", "policy": policy["policy"], "attachments": paths}
    )
    found = {
        (item["rule_id"], item["target"]): item["status"] for item in answer["findings"]["findings"]
    }

    assert policy["policy"]["mistakes"] == []
    assert found["ENC", "tbl_1.rcvr_email_encrypt"] == "pass"
    assert found["ENC", "tbl_1.rcvr_email"] == "not_evaluated"
    assert found["ENC", "patients.email"] == "not_evaluated"
    assert found["RET", "tbl_1"] == "fail"
    assert found["RET", "patients"] == "fail"
    assert "pass" not in {found[key] for key in found if key[0] == "RET"}
    used = {each["name"] for each in answer["files"] if each["status"] == "used"}
    assert {"contract.odcs.yaml", "_models.yml"} <= used
