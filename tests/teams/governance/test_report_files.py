"""The files that an officer keeps: one document in every form, and nothing hostile acts in it."""

import csv
import io
import json
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from minerva_governance import ComplianceAgent, PolicyAgent
from minerva_governance.answers.report.document import Document
from minerva_platform.text import Language

PUBLISHED = Path(__file__).parent / "published"
POLICY = """\
apiVersion: minerva/v1
policy: {id: shop, version: 2}
rules:
- id: ENC
  title: {ko: 번호는 암호화한다, en: numbers are encrypted}
  severity: high
  applies_to: {kind: column, pii: [KR_RRN]}
  require: {encrypted: true}
- id: NOTICE
  applies_to: {kind: column, pii: any}
  require: {in_notice: true}
"""
NOTICE = """\
# Privacy notice
## 1 Purpose
We deliver what you order.
## 2 What we collect
Name, resident registration number.
## 3 Retention
We keep the data for 3 years.
"""
ROWS = "JUMIN_NO,EMAIL\n" + "".join(f"850101-123456{n},a{n}@example.org\n" for n in range(10))


def reviewed(
    folder: Path, *extra: Path, language: Language = "en", data: str = ROWS
) -> dict[str, str]:
    """Return the files of a review of a small shop."""
    folder.mkdir(exist_ok=True)
    given = {"policy.yaml": POLICY, "privacy_notice.md": NOTICE, "members.csv": data}
    for name, content in given.items():
        (folder / name).write_text(content, encoding="utf-8")
    attached = [str(folder / name) for name in given]
    about = {"language": language, "request": "report every violation", "attachments": attached}
    policy = PolicyAgent().invoke(about)["policy"]
    about["attachments"] = [*attached, *map(str, extra)]
    made = ComplianceAgent().invoke({**about, "policy": policy})
    return {each["name"]: each["content"] for each in made["artifacts"]}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The files of one review."""
    return reviewed(tmp_path_factory.mktemp("shop") / "in")


def test_the_findings_fit_the_published_schema(shop: dict[str, str]) -> None:
    """The schema lies in the package, and it is the model's own."""
    import jsonschema  # noqa: PLC0415  # it compiles 38 grammars

    published = files("minerva_governance") / "schemas" / "findings.schema.json"
    schema = json.loads(published.read_text(encoding="utf-8"))

    jsonschema.validate(json.loads(shop["findings.json"]), schema)
    assert schema == Document.model_json_schema(mode="serialization", by_alias=True)


def test_the_opening_says_how_bad_where_and_what_to_do(shop: dict[str, str]) -> None:
    """Three sentences; the report and the page begin with them."""
    bad, worst, first = json.loads(shop["findings.json"])["opening"]

    assert bad.startswith("2 of ")
    assert "members.csv.JUMIN_NO" in worst
    assert first.startswith("Do this first (the data owner): Stop handing on")
    for kind, heading in (("report.md", "\n## "), ("report.html", "<h2>")):
        assert 0 < shop[kind].index(bad) < shop[kind].index(heading)


def test_every_broken_rule_says_who_acts_and_how(shop: dict[str, str]) -> None:
    """So does every one that is open or waived; what passes asks nobody for anything."""
    for finding in json.loads(shop["findings.json"])["findings"]:
        assert bool(finding["who"] and finding["how"]) == (finding["status"] != "pass")


def test_what_is_missing_is_named_with_what_to_give(shop: dict[str, str]) -> None:
    """A review of data alone has no columns, no code, no migration."""
    missing = json.loads(shop["findings.json"])["missing"]

    assert missing.keys() == {"columns", "code", "anonymity", "docstrings", "migration"}
    assert all(text in shop["report.html"] for text in missing.values())


def test_sarif_is_valid_and_names_rule_place_and_level(shop: dict[str, str]) -> None:
    """By the schema of SARIF 2.1.0, and no place is absolute.

    The schema is the one that code hosts check by (OASIS, as @microsoft/jest-sarif 1.0.0 ships it).
    """
    import jsonschema  # noqa: PLC0415  # it compiles 38 grammars

    log = json.loads(shop["findings.sarif"])
    schema = json.loads((PUBLISHED / "sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8"))
    (run,) = log["runs"]

    jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker()).validate(log)
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["ENC", "NOTICE"]
    for result in run["results"]:
        assert result["message"]["text"]
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert (result["kind"], bool(result["locations"])) == ("fail", True)
        for place in result["locations"]:
            uri = place["physicalLocation"]["artifactLocation"]["uri"]
            assert uri
            assert not uri.startswith(("/", "file:"))
    failing = [each for each in json.loads(shop["findings.json"])["findings"]
               if each["status"] in {"fail", "waived"}]  # fmt: skip
    assert [each["ruleId"] for each in run["results"]] == [each["rule_id"] for each in failing]


def test_the_register_quotes_and_invents_nothing(shop: dict[str, str]) -> None:
    """A row a table; each cell has its source, and what nobody said is empty."""
    (row,) = csv.DictReader(io.StringIO(shop["register.csv"]))

    assert row["categories"].startswith("resident registration number")
    assert (row["subjects"], row["subjects_source"]) == ("customers and members", "members.csv")
    assert (row["purpose"], row["retention"]) == (
        "We deliver what you order.", "We keep the data for 3 years."
    )  # fmt: skip
    assert row["purpose_source"].startswith("privacy_notice.md:2 ")
    empty = ("legal_basis", "recipients", "safeguards")
    assert [row[cell] + row[f"{cell}_source"] for cell in empty] == [""] * len(empty)


def test_an_earlier_review_tells_new_mended_and_remaining(
    shop: dict[str, str], tmp_path: Path
) -> None:
    """The e-mail went, a passport came; the resident number stays."""
    earlier = tmp_path / "earlier.json"
    earlier.write_text(shop["findings.json"], encoding="utf-8")
    now = ROWS.replace("EMAIL", "PHONE").replace("@example.org", "").replace(",a", ",010-1234-567")

    found = json.loads(reviewed(tmp_path / "in", earlier, data=now)["findings.json"])

    assert found["since"] == {
        "new": 1,
        "mended": 1,
        "remaining": 1,
        "mended_findings": ["NOTICE members.csv.EMAIL"],
    }
    states = {f["target"]: f["state"] for f in found["findings"] if f["status"] == "fail"}
    assert states == {"members.csv.JUMIN_NO": "remaining", "members.csv.PHONE": "new"}


class _Tags(HTMLParser):
    """Collects the tags and the addresses of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.addresses: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag and what it would load."""
        self.tags.add(tag)
        self.addresses += [str(value) for name, value in attrs if name in {"src", "href"}]


def test_hostile_names_are_shown_and_do_nothing(tmp_path: Path) -> None:
    """Markup in a column's name is text on the page, a formula is text in a cell."""
    evil = ROWS.replace("EMAIL", '"<script>alert(1)</script><img src=x> email"')

    made = reviewed(tmp_path / "in", data=evil)

    page = _Tags(made["report.html"])
    assert not page.tags & {"script", "img", "iframe", "link"}
    assert [each for each in page.addresses if not each.startswith("#")] == []
    assert "&lt;script&gt;" in made["report.html"]


def test_both_languages_say_the_same(shop: dict[str, str], tmp_path: Path) -> None:
    """Rules, targets, statuses and counts do not depend on the reader."""
    korean = json.loads(reviewed(tmp_path / "in", language="ko")["findings.json"])
    english = json.loads(shop["findings.json"])

    def facts(found: dict[str, Any]) -> list[tuple[Any, ...]]:
        keys = ("rule_id", "target", "status", "count", "total", "fingerprint")
        return [tuple(each[key] for key in keys) for each in found["findings"]]

    assert facts(korean) == facts(english)
    assert korean["opening"][0].startswith("개인정보 점검 ")
