"""One list of contents makes page and Markdown: what an officer finds, and in which order."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from minerva_governance import ComplianceAgent, PolicyAgent
from minerva_governance.answers.finding_context import told_clauses, told_sinks
from minerva_governance.answers.report.blocks import Table
from minerva_governance.answers.report.contents import contents_of
from minerva_governance.answers.report.document import Document
from minerva_platform.text import Language

CONTACT, APPROVER = "dpo@clinic.example", "chief@clinic.example"
POLICY = f"""\
apiVersion: minerva/v1
policy: {{id: clinic, version: 7, owner: {CONTACT}}}
rules:
- id: ENC-1
  title: {{ko: 번호는 암호화한다, en: Numbers are encrypted}}
  severity: high
  applies_to: {{kind: column, pii: [KR_RRN]}}
  require: {{encrypted: true}}
- id: NAME-1
  severity: low
  title: 이름은 표준을 따른다
  applies_to: {{kind: column}}
  require: {{standard_name: true}}
waivers:
- {{rule: NAME-1, target: "T.C0", until: 2999-12-31, by: {APPROVER}, reason: 곧 없앤다}}
"""
NOTICE = "# 우리의원 개인정보 처리방침\n## 제1조 (수집하는 개인정보 항목)\n1. 환자의 성명\n"
COLUMNS = ", ".join(f"C{n} CHAR(9)" for n in range(12))
PLAN = {
    "columns": [
        {"table": "T", "column": f"C{n}", "physical_name": f"NEW_{n}", "status": "renamed"}
        for n in range(12)
    ]
}
USES = {
    "uses": [{"name": f"C{n % 2}", "path": "app/a.py", "line": 1 + n // 2} for n in range(22)]
    + [{"name": "C0", "path": "app/a.py", "line": 1, "kind": "again"}],
    "total": 23,
    "truncated": False,
    "unparsed": ["app/bad.py"],
}


def reviewed(folder: Path, language: Language) -> Mapping[str, str]:
    """Return the files of a review of a folder."""
    about: dict[str, Any] = {"language": language, "request": "report", "attachments": [folder]}
    policy = PolicyAgent().invoke(about)["policy"]
    handed = {"code_uses": USES, "rename_plan": PLAN}
    made = ComplianceAgent().invoke({**about, **handed, "policy": policy})
    return {each["name"]: each["content"] for each in made["artifacts"]}


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Mapping[Language, Mapping[str, str]]:
    """The files of one review in each language."""
    folder = tmp_path_factory.mktemp("parent") / "clinic"
    (folder / "app").mkdir(parents=True)
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    (folder / "처리방침.md").write_text(NOTICE, encoding="utf-8")
    (folder / "schema.sql").write_text(f"CREATE TABLE T ({COLUMNS});\nCALL p();\n", "utf-8")
    (folder / "rows.csv").write_text("JUMIN_NO\n850101-1234566\n851231-2234567\n", "utf-8")
    (folder / "app" / "a.py").write_text("x = 1\n", encoding="utf-8")
    (folder / "app" / "bad.py").write_text("def (", encoding="utf-8")
    (folder / "scan.pdf").write_bytes(b"%PDF-1.4")
    return {"ko": reviewed(folder, "ko"), "en": reviewed(folder, "en")}


@pytest.fixture(scope="module")
def document(clinic: Mapping[Language, Mapping[str, str]]) -> Document:
    """The English document, read back from its file."""
    return Document.model_validate_json(clinic["en"]["findings.json"], by_alias=True)


def test_the_first_page_says_what_was_reviewed(document: Document) -> None:
    """Folder, day, policy with version and owner, notice by its title: nothing is invented."""
    facts = dict(contents_of(document, limit=8).facts)

    assert facts["Reviewed"] == "clinic/"
    assert facts["Date"] == document.reviewed_on.isoformat()
    assert facts["Policy"].startswith("clinic (version 7, policy.yaml, fingerprint ")
    assert facts["Policy owner"] == CONTACT
    quoted = "“우리의원 개인정보 처리방침” (in the original Korean)"
    assert facts["Privacy notice"] == f"{quoted} (처리방침.md)"


def test_each_file_is_read_in_part_or_not_read(document: Document) -> None:
    """A statement that is not parsed makes its schema partly read."""
    assert {each.name: (each.kind, each.standing) for each in document.inputs} == {
        "app/a.py": ("code", "read"),
        "app/bad.py": ("code", "not_read"),
        "policy.yaml": ("policy", "read"),
        "rows.csv": ("data", "read"),
        "scan.pdf": ("other", "not_read"),
        "schema.sql": ("schema", "partly"),
        "처리방침.md": ("notice", "read"),
    }
    assert all(each.why for each in document.inputs if each.standing != "read")


def test_each_file_can_be_told_by_its_bytes(document: Document) -> None:
    """SHA-256, also of what is not read: the page shows its beginning."""
    marks = {each.name: each.sha256 for each in document.inputs}
    annex = contents_of(document, limit=8).annex
    shown = next(b for s in annex for b in s.blocks if isinstance(b, Table) and b.name == "files")

    assert marks["policy.yaml"] == hashlib.sha256(POLICY.encode()).hexdigest()
    assert marks["scan.pdf"] == hashlib.sha256(b"%PDF-1.4").hexdigest()
    assert {row[0].text: row[3].text for row in shown.rows} == {
        name: mark[:12] for name, mark in marks.items()
    }


def test_columns_without_personal_data_are_named(document: Document) -> None:
    """With the personal ones they are all that were looked at."""
    personal = {each.target for each in document.inventory}

    assert document.other_columns == tuple(f"T.C{n}" for n in range(12))
    assert personal == {"rows.csv.JUMIN_NO"}
    assert document.columns_looked_at == len(personal) + len(document.other_columns)


def test_what_is_wrong_open_or_not_read_has_an_owner_and_an_action(document: Document) -> None:
    """No row of the body leaves a cell for who or how empty."""
    for section in contents_of(document, limit=8).body:
        for block in section.blocks:
            if isinstance(block, Table) and "Who" in block.header:
                who, how = block.header.index("Who"), block.header.index("How")
                assert all(row[who].text and row[how].text for row in block.rows)


def test_the_counts_of_the_rows_add_up(document: Document) -> None:
    """Rows group findings; their counts are those of the opening and of the table of rules."""
    every = [
        block
        for section in contents_of(document, limit=8).body
        for block in section.blocks
        if isinstance(block, Table)
    ]
    tables = {each.name: each for each in every}

    def counted(name: str) -> int:
        rows = [row for each in every if each.name == name for row in each.rows]
        found = (re.search(r"places: (\d+)", row[0].also) for row in rows)
        return sum(int(each[1]) for each in found if each)

    counts = document.counts
    assert counted("todo") == counts["fail"] > 0
    assert counted("open") == counts["not_evaluated"] > 0
    assert counted("waived") == counts["waived"] == 1
    assert [cell.text for cell in tables["rules"].rows[-1][3:]] == [
        *(str(counts[key]) for key in ("fail", "waived", "not_evaluated", "pass")),
        str(document.total),
    ]


def test_a_use_is_counted_once_and_a_line_may_hold_two(
    document: Document, clinic: Mapping[Language, Mapping[str, str]]
) -> None:
    """22 uses in 11 lines; a row that is cut says how many there are, and where."""
    assert document.code is not None
    assert len(document.code.breaking) == 22
    page = clinic["en"]["report.html"].replace("<wbr>", "")

    assert "22 uses of columns stand in 11 lines" in page
    assert "and 3 more (11 in all, code_uses.csv)" in page
    assert "more (" not in clinic["en"]["report.md"]


def test_page_and_markdown_have_the_same_parts_in_one_order(
    document: Document, clinic: Mapping[Language, Mapping[str, str]]
) -> None:
    """Numbers for the body, letters for the annex; the page's contents refer to each."""
    contents = contents_of(document, limit=8)
    marks = [each.mark for each in (*contents.body, *contents.annex)]
    headings = re.findall(r"^## (\w+)\. ", clinic["en"]["report.md"], re.MULTILINE)
    page = clinic["en"]["report.html"]

    assert headings == marks
    assert re.findall(r'href="#s(\w+)"', page) == marks
    assert re.findall(r'<section id="s(\w+)"', page) == marks
    assert marks[0] == "1"
    assert contents.annex[0].mark == "A"
    assert re.findall(r"^## (\w+)\. ", clinic["ko"]["report.md"], re.MULTILINE) == marks


def test_the_contacts_of_a_policy_are_shown(clinic: Mapping[Language, Mapping[str, str]]) -> None:
    """The owner, and who approved a waiver, must be reached: neither is masked in any file."""
    for kind in ("report.html", "report.md", "findings.json"):
        assert CONTACT in clinic["ko"][kind]
        assert APPROVER in clinic["en"][kind]
    found = json.loads(clinic["en"]["findings.json"])["findings"]
    (waived,) = [each for each in found if each["status"] == "waived"]
    assert waived["who"] == APPROVER


def test_what_is_in_the_other_language_is_a_marked_quotation(
    clinic: Mapping[Language, Mapping[str, str]],
) -> None:
    """Reasons of waivers and titles; a title that the policy gives in both stands in both."""
    english, korean = clinic["en"]["report.md"], clinic["ko"]["report.md"]

    assert "“곧 없앤다” (in the original Korean)" in english
    assert "Numbers are encrypted · “번호는 암호화한다” (in the original Korean)" in english
    assert "번호는 암호화한다 · “Numbers are encrypted” (영어 원문)" in korean


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("ko", "a.py:3 (로그에 남김), 제4조 1번 “암호화한다” (처리방침(제3조의2 4번))"),
        ("en", "a.py:3 (written to a log), article 4, item 1 (제4조 1번) “암호화한다” "
         "(처리방침(article 3-2, item 4 (제3조의2 4번)))"),
    ],
)  # fmt: skip
def test_clauses_and_sinks_are_told_in_words(language: Language, told: str) -> None:
    """A law's article in a sentence stays as it is."""
    text = "a.py:3 (log), 제4조 1 “암호화한다” (처리방침(제3조의2 4))"

    assert told_sinks(told_clauses(text, language), language) == told
    assert told_clauses("개인정보 보호법 제24조 1항", language) == "개인정보 보호법 제24조 1항"
