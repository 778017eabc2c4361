"""Input that is made to do harm is refused or shown harmlessly, and never makes a rule pass."""

import csv
import io
import json
import os
import re
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import pytest
from forms import forms
from openpyxl import Workbook

from minerva_governance import ComplianceAgent, PolicyAgent

RRN = "850101-1234566"
GIB = 1024**3
POLICY = """\
apiVersion: minerva/v1
policy: {id: trial}
rules:
- {id: ENC, severity: high, applies_to: {kind: column, pii: any}, require: {encrypted: true}}
- {id: RET, applies_to: {kind: table}, require: {retention_days: {max: 9}}}
- {id: LIC, applies_to: {kind: dependency}, forbid: {license: [MIT]}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a policy and nothing else."""
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    return folder


def reviewed(*paths: Path) -> dict[str, Any]:
    """Review `paths` by the policies among them; the answer can be written as UTF-8."""
    policy = PolicyAgent().invoke({"request": "check", "attachments": paths})["policy"]
    answer = ComplianceAgent().invoke({"request": "check", "policy": policy, "attachments": paths})
    json.dumps([policy, answer], ensure_ascii=False).encode()
    return answer


def passed(answer: dict[str, Any]) -> list[str]:
    """Return the targets at which a rule passed."""
    found = answer["findings"]["findings"]
    return [f"{one['rule_id']} {one['target']}" for one in found if one["status"] == "pass"]


def unread(answer: dict[str, Any]) -> set[str]:
    """Return the files that were not used."""
    return {one["name"] for one in answer["files"] if one["status"] != "used"}


def artifact(answer: dict[str, Any], name: str) -> str:
    """Return the content of a file of the answer."""
    (content,) = [one["content"] for one in answer["artifacts"] if one["name"] == name]
    return str(content)


def test_a_link_out_of_the_folder_is_named_and_not_followed(folder: Path) -> None:
    """Neither to a file nor to a folder, by an absolute path or by `..`."""
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "secret.csv").write_text(f"A\n{RRN}\n", encoding="utf-8")
    (folder / "link.csv").symlink_to(outside / "secret.csv")
    (folder / "up.csv").symlink_to("../outside/secret.csv")
    (folder / "tree").symlink_to(outside, target_is_directory=True)
    (folder / "around").symlink_to(".", target_is_directory=True)
    answer = reviewed(folder)

    assert unread(answer) >= {"link.csv", "up.csv", "tree", "around"}
    assert answer["findings"]["inventory"] == []
    assert passed(answer) == []


def test_what_is_no_regular_file_is_not_opened(folder: Path) -> None:
    """A pipe would wait for ever, a device give without end."""
    os.mkfifo(folder / "pipe.csv")
    answer = reviewed(folder, Path("/dev/zero"))

    assert unread(answer) == {"pipe.csv", "zero"}
    assert passed(answer) == []


BOMB = b"<a/>" + b" " * (8 * 1024 * 1024)


@pytest.mark.small(2)
@pytest.mark.parametrize("name", ["bomb.xlsx", "bomb.zip", "bomb.docx", "bomb.jar"])
def test_an_archive_that_grows_is_not_unpacked(folder: Path, name: str) -> None:
    """8 MiB of blanks pack to 8 KiB; the file is named."""
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", BOMB)
    answer = reviewed(folder)

    assert unread(answer) == {name}
    assert passed(answer) == []


def test_entities_of_a_workbook_are_not_expanded(folder: Path) -> None:
    """A billion laughs in a real workbook."""
    book = Workbook()
    book.create_sheet().append(["A"])
    book.save(folder / "plain.xlsx")
    laughs = '<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    with (
        zipfile.ZipFile(folder / "plain.xlsx") as plain,
        zipfile.ZipFile(folder / "laughs.xlsx", "w") as made,
    ):
        for part in plain.namelist():
            content = plain.read(part).decode()
            if part.endswith("sheet1.xml"):
                content = laughs + content.removeprefix('<?xml version="1.0"?>')
            made.writestr(part, content)
    (folder / "plain.xlsx").unlink()
    answer = reviewed(folder)

    assert unread(answer) == {"laughs.xlsx"}
    assert passed(answer) == []


DEEP = "[" * 200_000


@pytest.mark.small(6)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("deep.json", DEEP),
        ("deep.jsonl", DEEP + "\n"),
        ("package.json", DEEP),
        ("package-lock.json", '{"packages": ' + '{"a": ' * 100_000),
        ("uv.lock", "x = " + DEEP),
        ("deep.odcs.yaml", "kind: DataContract\na: " + DEEP),
        ("models.yml", "models:\n  - name: a\n    columns: " + DEEP),
        ("bomb.yaml", "models:\n  - &a [x, x]\n  - &b [*a, *a]\n" + "  - [*b, *b]\n" * 9),
        ("deep.sql", "CREATE TABLE T (A INT DEFAULT " + "(" * 50_000),
        ("deep.sql", "INSERT INTO T VALUES " + "(" * 50_000),
        ("view.sql", "CREATE VIEW V AS SELECT " + "(" * 3_000 + "1" + ")" * 3_000),
    ],
)
def test_nesting_without_end_costs_only_its_file(folder: Path, name: str, content: str) -> None:
    """No reader runs out of stack, and no rule passes by what was not read."""
    (folder / name).write_text(content, encoding="utf-8")
    (folder / "rows.csv").write_text(f"A\n{RRN}\n", encoding="utf-8")
    answer = reviewed(folder)

    assert [one["target"] for one in answer["findings"]["findings"] if one["status"] == "fail"] == [
        "rows.csv.A"
    ]
    assert passed(answer) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    ["a: &a [x]\nb: *a\n" + POLICY, "rules: " + DEEP, "rules: !!python/name:os.system\n"],
)
def test_a_policy_that_is_a_bomb_is_refused(folder: Path, content: str) -> None:
    """Aliases, depth and tags: the policy is named as one to mend, and judges nothing."""
    (folder / "policy.yaml").write_text(content, encoding="utf-8")
    policy = PolicyAgent().invoke({"request": "x", "attachments": [folder / "policy.yaml"]})

    assert policy["policy"]["policies"] == []
    assert len(policy["policy"]["mistakes"]) == 1


SCRIPTS = {
    "triggers": "CREATE TABLE t (a); CREATE TABLE log (b);"
    " CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END; INSERT INTO log VALUES (1);",
    "view": "CREATE TABLE t (a); INSERT INTO t VALUES (1); CREATE VIEW v AS WITH RECURSIVE"
    " c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c;",
    "search": "CREATE TABLE t (a); CREATE VIRTUAL TABLE s USING fts5(body);",
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_database_runs_nothing_of_its_own(folder: Path, script: str) -> None:
    """Triggers, endless views and virtual tables; nothing is written beside it."""
    path = folder / "data.db"
    with sqlite3.connect(path) as database:
        database.executescript(SCRIPTS[script])
    database.close()
    before = path.read_bytes()
    reviewed(folder)

    assert path.read_bytes() == before
    assert {each.name for each in folder.iterdir()} == {"policy.yaml", "data.db"}


def test_a_database_with_an_unknown_module_makes_nothing_pass(folder: Path) -> None:
    """A virtual table of a module that we do not have; another's that attaches a file."""
    path = folder / "data.db"
    with sqlite3.connect(path) as database:
        database.executescript("CREATE TABLE t (a); PRAGMA writable_schema = ON;")
        database.execute(
            "INSERT INTO sqlite_master VALUES ('table', 'e', 'e', 0,"
            " 'CREATE VIRTUAL TABLE e USING evil(''/etc/passwd'')')"
        )
    database.close()
    answer = reviewed(folder)

    assert unread(answer) == {"data.db"}
    assert passed(answer) == []


@pytest.mark.parametrize(
    "content",
    [
        b"PAR1" + b"\xff" * 64 + (2**31 - 1).to_bytes(4, "little") + b"PAR1",
        b"PAR1" + b"\0" * 64 + (8).to_bytes(4, "little") + b"PAR1",
        b"PAR1PAR1",
        b"PAR1",
    ],
)
def test_a_parquet_file_with_a_lying_footer_is_named(folder: Path, content: bytes) -> None:
    """The length of the footer is beyond the file, or what stands there is none."""
    (folder / "rows.parquet").write_bytes(content)
    answer = reviewed(folder)

    assert unread(answer) == {"rows.parquet"}
    assert passed(answer) == []


BIG = ("big.sql", "big.json", "big.yaml", "big.xlsx", "uv.lock", "package.json", "big.md")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "names"), forms([(2 * GIB, (name,)) for name in BIG], [(GIB // 16, BIG)])
)
def test_a_file_of_gigabytes_of_nothing_is_not_read_whole(
    folder: Path, size: int, names: tuple[str, ...]
) -> None:
    """A sparse file takes no room on the disk, and would take all of the memory."""
    for name in names:
        with (folder / name).open("wb") as stream:
            stream.truncate(size)
    answer = reviewed(folder)

    assert unread(answer).issuperset(names)
    assert passed(answer) == []


NAMES = (
    "a\nb.csv",
    "e\u202evsc.csv",
    "c\x1b[31m.csv",
    "d\u2028e.csv",
    "f\u200bg.csv",
    "hi\r.csv",
)


def test_names_of_files_show_as_what_they_are(folder: Path) -> None:
    """Line breaks, colour codes, the direction of writing, bytes that are no text."""
    for name in NAMES:
        (folder / name).write_text(f"A\n{RRN}\n", encoding="utf-8")
    raw = os.fsencode(folder) + b"/\xff\xfe.csv"
    Path(os.fsdecode(raw)).write_text(f"A\n{RRN}\n", encoding="utf-8")
    answer = reviewed(folder)

    assert {one["target"] for one in answer["findings"]["findings"] if one["status"] == "fail"} == {
        r"a\nb.csv.A",
        r"e\u202evsc.csv.A",
        r"c\x1b[31m.csv.A",
        r"d\u2028e.csv.A",
        r"f\u200bg.csv.A",
        r"hi\r.csv.A",
        r"\udcff\udcfe.csv.A",
    }
    written = json.dumps(answer, ensure_ascii=False)
    assert [each for each in written if not each.isprintable()] == []


def test_names_of_columns_show_as_what_they_are(folder: Path) -> None:
    """In data, in a schema and in a data contract."""
    (folder / "rows.csv").write_text(f'"em\nail","\u202etel"\n{RRN},{RRN}\n', encoding="utf-8")
    (folder / "s.sql").write_text(
        'CREATE TABLE "T\u2066" ("e\nmail" CHAR(9) COMMENT \'이메일\u202e\n둘째 줄\');', "utf-8"
    )
    contract = {"apiVersion": "v3.1.0", "kind": "DataContract"}
    table = {"name": "C", "properties": [{"name": "email\u0007", "description": "a\nb"}]}
    (folder / "c.yaml").write_text(json.dumps({**contract, "schema": [table]}), encoding="utf-8")
    answer = reviewed(folder)
    report = artifact(answer, "report.md")

    assert {
        (one["table"], one["column"], one["comment"]) for one in answer["findings"]["inventory"]
    } >= {
        ("rows.csv", r"em\nail", ""),
        ("rows.csv", r"\u202etel", ""),
        (r"T\u2066", r"e\nmail", r"이메일\u202e 둘째 줄"),
        ("C", r"email\x07", "a b"),
    }
    assert [each for each in report if not each.isprintable() and each != "\n"] == []


TAG = "<img src=x onerror=alert(1)>"
RULES = f"""\
apiVersion: minerva/v1
policy: {{id: "`{TAG}`", version: "{TAG}"}}
rules:
- id: "{TAG}"
  title: "`{TAG}` [x](javascript:alert(1))"
  severity: high
  applies_to: {{kind: column, pii: any}}
  require: {{encrypted: true}}
  authority: [{{title: "` {TAG}"}}]
- {{id: RET, applies_to: {{kind: table}}, require: {{retention_days: {{max: 9}}}}}}
"""
_CODE = re.compile(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)


def test_names_and_comments_are_no_markup(folder: Path) -> None:
    """HTML, links and code that does not end: in Markdown, HTML and CSV they stay words."""
    (folder / "policy.yaml").write_text(RULES, encoding="utf-8")
    (folder / "notice.md").write_text(
        f"# Privacy notice\n## 1. Data we collect\n1. Name ` {TAG}\n"
        f"## 2. Kept\n1. kept 3 years {TAG}",
        encoding="utf-8",
    )
    (folder / f"=1`{TAG}`.csv").write_text(
        f'"=HYPERLINK(1)_email","`{TAG}`_email","[x](javascript:1)_email"\n{"a@b.kr," * 2}a@b.kr\n',
        encoding="utf-8",
    )
    (folder / "s.sql").write_text(
        f"CREATE TABLE `=1+1` (e CHAR(1) COMMENT '</td><script>alert(1)</script>이메일 ` {TAG}');",
        encoding="utf-8",
    )
    answer = reviewed(folder)

    for markdown in (artifact(answer, "report.md"), answer["summary"]):
        words = _CODE.sub("", markdown)
        assert re.findall(r"(?<!\\)<(?=[a-z/!?])|(?<=\])\(", words) == []
        assert "img src" in markdown
    for one in answer["artifacts"]:
        if one["name"].endswith(".html"):
            assert "<img src" not in one["content"]
            assert "<script>alert" not in one["content"]
        elif one["name"].endswith(".csv"):
            cells = [cell for row in csv.reader(io.StringIO(one["content"])) for cell in row]
            assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t"))] == []
