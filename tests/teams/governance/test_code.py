"""What code tells a review: models as an inventory, sinks with their hosts, literals."""

from pathlib import Path
from typing import Any

import pytest

from minerva_governance import ComplianceAgent, PolicyAgent
from minerva_governance.core.detection.literal_scan import scan_literals
from minerva_governance.core.policy.policy_file import PolicyError
from minerva_governance.core.reading.code_schema import ModelField, code_schemas
from minerva_governance.core.reading.source_files import Source
from minerva_governance.steps.policy_loading import load_policy

RRN = "880417-1234561"
POLICY = """\
apiVersion: minerva/v1
policy: {id: trial}
rules:
- id: ENC
  applies_to: {kind: column, pii: [KR_RRN]}
  require: {encrypted: true}
- id: OUT
  severity: high
  applies_to: {kind: code_use, pii: any}
  forbid: {sink: [logging, http]}
"""


def field(model: str, name: str, line: int, **more: Any) -> dict[str, Any]:
    """Return a field as the insilico team hands it on."""
    base = {"path": "app/models.py", "framework": "django", "type": "CharField", "later": 1}
    return {**base, "model": model, "field": name, "line": line, **more}


def use(name: str, line: int, sink: str, **more: Any) -> dict[str, Any]:
    """Return a use as the insilico team hands it on."""
    return {"name": name, "path": "app/views.py", "line": line, "sink": sink, **more}


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """A policy, and code with a number typed into a log."""
    folder = tmp_path / "given"
    (folder / "app").mkdir(parents=True)
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    (folder / "app/models.py").write_text("# models\n", encoding="utf-8")
    lines = ["import logging", "", f"logging.info('trial with {RRN}')", ""]
    (folder / "app/views.py").write_text("\n".join(lines), encoding="utf-8")
    return folder


def review(folder: Path, fields: list[dict[str, Any]], uses: list[dict[str, Any]]) -> Any:
    """Return the findings of a review of the folder."""
    policy = PolicyAgent().invoke({"request": "check", "attachments": [folder]})["policy"]
    return ComplianceAgent().invoke(
        {
            "request": "check",
            "policy": policy,
            "attachments": [folder],
            "declared_fields": {"fields": fields, "total": len(fields), "truncated": False},
            "code_uses": {"uses": uses, "total": len(uses), "truncated": False},
        }
    )


def test_code_alone_gives_an_inventory_by_model_and_line(app: Path) -> None:
    """A field is known by its name or by its label, and stands at its line."""
    fields = [
        field("Guest", "email", 4),
        field("Guest", "no1", 5, label="주민등록번호", column="NO_1"),
        field("Guest", "colour", 6),
    ]
    found = review(app, fields, [])["findings"]
    declared = [
        (item["table"], item["column"], item["source"], item["line"], item["suspected"])
        for item in found["inventory"]
        if item["declared"]
    ]

    assert declared == [
        ("Guest", "email", "app/models.py", 4, True),
        ("Guest", "NO_1", "app/models.py", 5, True),
    ]
    assert found["columns_looked_at"] == 4  # what is typed into views.py is one


def test_an_encrypted_field_is_declared_so(app: Path) -> None:
    """`EncryptedCharField` says in code what a comment says in a schema."""
    fields = [
        field("Guest", "number", 4, label="주민등록번호", encrypted=True),
        field("Guest", "old_number", 5, label="주민등록번호"),
    ]
    found = review(app, fields, [])["findings"]["findings"]
    status = {item["target"]: item["status"] for item in found if item["rule_id"] == "ENC"}

    assert status["Guest.number"] == "pass"
    assert status["Guest.old_number"] == "not_evaluated"


def test_sinks_are_named_with_their_hosts(app: Path) -> None:
    """A forbidden sink fails with place and host, another one is told, a doubt is a question."""
    uses = [
        use("email", 3, "http", destination="api.partner.example"),
        use("email", 4, "template", destination="a.html"),
        use("phone", 5, "logging", suspected=True, via="Guest.*"),
        use("colour", 6, "logging"),
    ]
    answer = review(app, [field("Guest", "email", 4), field("Guest", "phone", 5)], uses)
    found = {item["target"]: item for item in answer["findings"]["findings"]}
    flows = [
        (flow["name"], flow["sink"], flow["host"], flow["line"], flow["suspected"])
        for flow in answer["findings"]["flows"]
    ]

    assert (found["EMAIL"]["status"], found["EMAIL"]["count"], found["EMAIL"]["total"]) == (
        *("fail", 1),
        2,
    )
    assert "app/views.py:3 (http api.partner.example)" in found["EMAIL"]["evidence"]
    assert found["PHONE"]["status"] == "not_evaluated"
    assert "app/views.py:5" in found["PHONE"]["reason"]
    assert flows == [
        ("email", "http", "api.partner.example", 3, False),
        ("email", "template", "", 4, False),
        ("phone", "log", "", 5, True),
    ]
    assert "api.partner.example" in answer["summary"]


def test_a_literal_in_a_log_is_named_and_masked(app: Path) -> None:
    """The number stands in no output; its line and its kind do."""
    answer = review(app, [], [use("(literal)", 3, "logging", via=":3-3")])
    found = {item["target"]: item for item in answer["findings"]["findings"]}
    column = answer["findings"]["inventory"][0]

    assert found["(LITERAL)"]["status"] == "fail"
    assert "app/views.py:3 (log)" in found["(LITERAL)"]["evidence"]
    assert (column["table"], column["column"], column["line"]) == (
        *("app/views.py", "(literal)"),
        3,
    )
    assert found["app/views.py.(literal)"]["status"] == "fail"
    assert RRN not in str(answer)


def test_models_that_were_not_read_keep_a_rule_from_passing(app: Path) -> None:
    """A module that did not parse may declare a resident number."""
    policy = PolicyAgent().invoke({"request": "check", "attachments": [app]})["policy"]
    given = {"fields": [], "total": 2, "truncated": True, "unparsed": ["app/models.py"]}
    (app / "app/views.py").write_text("", encoding="utf-8")
    answer = ComplianceAgent().invoke(
        {"request": "?", "policy": policy, "attachments": [app], "declared_fields": given}
    )
    found = [item for item in answer["findings"]["findings"] if item["rule_id"] == "ENC"]

    assert {(item["target"], item["status"]) for item in found} >= {
        ("app/models.py", "not_evaluated"),
        ("code", "not_evaluated"),
    }
    assert "pass" not in {item["status"] for item in found}


def test_classes_that_only_carry_values_are_no_second_table() -> None:
    """A copy of a column is not counted again; a field that no table has is."""
    fields = [
        ModelField.model_validate(field("Guest", "email", 4)),
        ModelField.model_validate(field("GuestIn", "email", 9, framework="pydantic")),
        ModelField.model_validate(field("GuestIn", "Phone", 10, framework="pydantic")),
        ModelField.model_validate(field("GuestIn", "nickname", 11, framework="pydantic")),
    ]
    (schema,) = code_schemas(fields, column_names={"phone"})

    assert [(column.table, column.name) for column in schema.columns] == [
        ("Guest", "email"),
        ("GuestIn", "nickname"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("a.py", f"x = 1\ny = '{RRN}'  # {RRN}\n", [2]),
        ("a.py", f'"""Text.\n\nfor {RRN}\n"""\n', [3]),
        ("a.py", f"y = f'no {RRN} {{x}}'\n", [1]),
        ("a.py", "y = 880417\nz = '2026-11-23 10:00'\n", []),
        ("a.py", f"broken = (\ny = '{RRN}'\n", [2]),
        ("a.py", f'q = """INSERT INTO T VALUES\n (1, "{RRN}"),\n (2, "{RRN}")"""\n', [2, 3]),
        ("a.js", f'const a = `{RRN}`; log("x")\n', [1]),
        ("a.py", "a = 'noreply@shop.example'\nb = 'jiwoo.han@mail.example'\n", [2]),
        ("a.md", f"'{RRN}'\n", []),
    ],
)
def test_what_is_typed_into_code(tmp_path: Path, name: str, text: str, lines: list[int]) -> None:
    """Literals of Python by its tokens, of other languages by their quotes; offices stay out."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = scan_literals([Source.of(tmp_path / name)])

    assert [hit.line for hit in found] == lines
    assert RRN not in str(found)


def test_a_sink_that_is_not_known_is_refused(tmp_path: Path) -> None:
    """A misspelt sink would forbid nothing, and look as if it did."""
    path = tmp_path / "p.yaml"
    path.write_text(POLICY.replace("logging, http", "logs, stdout"), encoding="utf-8")

    with pytest.raises(PolicyError) as caught:
        load_policy(Source.of(path))

    assert "'logs' is no sink" in str(caught.value)
    assert "stdout" not in str(caught.value)
