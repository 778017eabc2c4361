"""Notices as organisations publish them: HTML pages, tables, other encodings, exceptions."""

from pathlib import Path
from typing import Any

import pytest

from minerva_governance import ComplianceAgent, PolicyAgent
from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.review.html_text import page_of
from minerva_governance.core.review.notice import Notice, read_notice
from minerva_reading import UnreadableError

POLICY = """\
apiVersion: minerva/v1
policy: {id: trial}
rules:
- id: RET
  applies_to: {kind: table}
  require: {retention_days: {max: 1095}}
"""
SCHEMA = "CREATE TABLE MEMBER (ID INT);"
PAGE = """\
<!doctype html>
<title>Shop</title>
<style>.old, p.seo {display: none} @media print {.x {color: red}}</style>
<script>var days = "ten years";</script>
<h1>Privacy notice</h1>
<!-- we keep it for ten years -->
<h2>1. What we collect</h2>
<ul><li>Your n<b>am</b>e<li>E-mail&nbsp;address</ul>
<h2>2. Retention</h2>
<ol><li>Orders are kept for si<span>x</span> years.</li><li>Letters for<br>one year.</li></ol>
<p class="seo">Kept for 90 days.
<p>Nothing else.
"""


def notice(
    tmp_path: Path, text: str, name: str = "privacy.html", encoding: str = "utf-8"
) -> Notice:
    """Read `text` as a notice."""
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    return read_notice(Source.of(path))


def reviewed(folder: Path) -> dict[str, Any]:
    """Review a folder with a limit of 1,095 days."""
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    (folder / "schema.sql").write_text(SCHEMA, encoding="utf-8")
    policy = PolicyAgent().invoke({"request": "check", "attachments": [folder]})["policy"]
    given = {"request": "check", "policy": policy, "attachments": [folder]}
    return ComplianceAgent().invoke(given)


def retention(folder: Path) -> dict[str, str]:
    """Return the status and the words of the rule on retention."""
    found = reviewed(folder)["findings"]["findings"]
    (finding,) = [f for f in found if f["rule_id"] == "RET" and f["target"] == "MEMBER"]
    return {"status": finding["status"], "said": finding["reason"] or finding["evidence"]}


def test_a_page_gives_clauses_with_the_lines_of_the_file(tmp_path: Path) -> None:
    """Headings, lists and paragraphs without end tags; words go on through inline elements."""
    found = notice(tmp_path, PAGE).clauses

    assert [(c.id, c.line, c.text, c.periods) for c in found if not c.is_hidden] == [
        ("1", 7, "- Your name - E-mail address", ()),
        ("2.1", 10, "Orders are kept for six years.", (2190,)),
        ("2.2", 10, "Letters for one year. Nothing else.", (365,)),
    ]
    assert found[0].lists_items
    assert found[0].names("EMAIL")


def test_a_heading_that_states_a_period_is_a_clause(tmp_path: Path) -> None:
    """Readers read headings, too."""
    text = "<h1>Privacy notice</h1><h2>3. Orders: kept for 6 years</h2><p>We write to you."
    (clause,) = notice(tmp_path, text).clauses

    assert (clause.id, clause.periods) == ("3", (2190,))


def test_what_a_page_does_not_show_is_named_and_not_believed(tmp_path: Path) -> None:
    """Comments, scripts, styles, and what a style of the page hides."""
    hidden = notice(tmp_path, PAGE).hidden_parts

    assert [(part.kind, part.line) for part in hidden] == [
        ("style", 3),
        ("script", 4),
        ("comment", 6),
        ("element", 11),
    ]


@pytest.mark.parametrize(
    "attribute",
    [
        "hidden",
        'style="display : none"',
        'style="visibility:hidden"',
        'style="font-size:0px"',
        'style="opacity: 0.0"',
        'style="position:absolute;left:-9999px"',
    ],
)
def test_elements_hidden_in_their_own_tag_are_not_shown(attribute: str) -> None:
    """Until their end, with all they hold."""
    page = page_of(f"<div {attribute}><p>kept <b>3</b> years</div><p>shown")

    assert [line.text for line in page.lines] == ["shown"]
    assert [part.text for part in page.hidden_parts] == ["kept 3 years"]


@pytest.mark.parametrize("attribute", ['style="font-size:0.9em"', 'style="opacity:0.5"', "id=a"])
def test_elements_that_are_shown_count(attribute: str) -> None:
    """Small and pale is still read."""
    assert [line.text for line in page_of(f"<p {attribute}>kept").lines] == ["kept"]


def test_a_table_of_a_page_gives_a_clause_for_each_row(tmp_path: Path) -> None:
    """The column on keeping counts, with the unit of its heading."""
    text = """<h1>개인정보 처리방침</h1><h2>제2조 보유기간</h2>
<table><tr><th>구분<th>수집 항목<th>보유기간(년)
<tr><td>30일 체험 회원<td>이메일<td>6
<tr><td>문의<td>성명<td>90일</table>"""
    found = notice(tmp_path, text).clauses

    assert [(c.id, c.line, c.periods) for c in found] == [
        ("제2조 L3", 3, (2190,)),
        ("제2조 L4", 4, (90,)),
    ]
    assert found[0].text == "구분: 30일 체험 회원; 수집 항목: 이메일; 보유기간(년): 6"
    assert found[0].lists_items


def test_a_row_without_a_number_of_days_is_quoted(tmp_path: Path) -> None:
    """`by law` is no period."""
    text = "# Privacy notice\n| what | kept for |\n|---|---|\n| orders | see law |\n"
    (clause,) = notice(tmp_path, text, "privacy.md").clauses

    assert (clause.periods, clause.unclear_period) == ((), "see law")


@pytest.mark.parametrize("encoding", ["utf-16", "cp949", "utf-8-sig"])
@pytest.mark.parametrize("name", ["처리방침.html", "처리방침.md", "처리방침.txt"])
def test_encodings_that_offices_save_in(tmp_path: Path, encoding: str, name: str) -> None:
    """A notice that cannot be read would be taken for none."""
    text = "# 개인정보 처리방침\n주문 기록은 6년간 보관합니다.\n"
    if name.endswith("html"):
        text = "<h1>개인정보 처리방침</h1>\n<p>주문 기록은 6년간 보관합니다.\n"
    (clause, *_) = notice(tmp_path, text, name, encoding).clauses

    assert clause.periods == (2190,)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("Orders are kept for 6 years.", "fail"),
        ("Orders are kept for 6 years, unless another law requires longer.", "fail"),
        ("Orders are kept for 2 years.", "pass"),
        ("Orders are kept for 2 years unless another law requires longer.", "not_evaluated"),
        ("Orders are kept for 2 years, except where the law asks for more.", "not_evaluated"),
        ("주문 기록은 2년간 보관합니다.", "pass"),
        (
            "2년간 보관합니다. 다만 다른 법령에 특별한 규정이 있는 경우에는 그러하지 아니합니다.",
            "not_evaluated",
        ),
        ("주문 기록은 2년간 보관하며 나머지는 별표 2에 따라 파기합니다.", "not_evaluated"),
        ("Orders are kept for 2 years, letters as Annex B says, then deleted.", "not_evaluated"),
        ("Accounts are kept for 1 year. Orders are kept for 5 years.", "fail"),
    ],
)
def test_a_limit_holds_only_without_exceptions(tmp_path: Path, words: str, status: str) -> None:
    """A period over the limit fails in any case; an exception or another document is quoted."""
    (tmp_path / "privacy.md").write_text(f"# Privacy notice\n{words}\n", encoding="utf-8")
    found = retention(tmp_path)

    assert found["status"] == status
    if status == "not_evaluated":
        assert "“" in found["said"]


def test_a_hidden_promise_keeps_a_rule_from_passing(tmp_path: Path) -> None:
    """A script may show it; what readers see is not certain."""
    page = "<h1>Privacy notice</h1><p>Kept for 1 year.<p hidden>Kept for 9 years.</p>"
    (tmp_path / "privacy.html").write_text(page, encoding="utf-8")
    found = retention(tmp_path)

    assert found["status"] == "not_evaluated"
    assert "not shown to readers" in found["said"]


def test_a_shown_promise_over_the_limit_fails_whatever_is_hidden(tmp_path: Path) -> None:
    """A hidden sentence mends nothing, and the answer names what was not looked at."""
    (tmp_path / "privacy.html").write_text(PAGE, encoding="utf-8")
    answer = reviewed(tmp_path)
    gaps = " ".join(answer["findings"]["not_looked_at"])

    assert retention(tmp_path)["status"] == "fail"
    assert "privacy.html:4: scripts, not looked at: 1 (line 4)" in gaps
    assert "privacy.html:11: elements that are not shown" in gaps
    assert ("privacy.html", "used") in [(u["name"], u["status"]) for u in answer["files"]]


def test_a_page_that_is_no_notice_is_no_document(tmp_path: Path) -> None:
    """Templates of a program are named by the review of code."""
    (tmp_path / "page.html").write_text("<h1>Cart</h1><p>Hello", encoding="utf-8")
    answer = PolicyAgent().invoke({"request": "rules?", "attachments": [tmp_path]})

    assert [use for use in answer["files"] if use["name"] == "page.html"] == []


def test_a_page_of_many_open_elements_is_read(tmp_path: Path) -> None:
    """Depth costs no recursion."""
    text = "<h1>Privacy notice</h1>" + "<i>" * 15_000 + "kept for 2 years"
    (clause,) = notice(tmp_path, text).clauses

    assert clause.periods == (730,)


def test_each_of_several_notices_is_judged_by_itself(tmp_path: Path) -> None:
    """Without tables: the promise of one is not broken by another's."""
    for name, years in (("privacy-shop.md", 6), ("privacy-letters.md", 2)):
        text = f"# Privacy notice\nKept for {years} years.\n"
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    policy = PolicyAgent().invoke({"request": "check", "attachments": [tmp_path]})["policy"]
    given = {"request": "check", "policy": policy, "attachments": [tmp_path]}
    found = ComplianceAgent().invoke(given)["findings"]["findings"]

    assert {(f["target"], f["status"]) for f in found if f["rule_id"] == "RET"} == {
        ("privacy-shop.md", "fail"),
        ("privacy-letters.md", "not_evaluated"),
    }


def test_a_comment_without_an_end_hides_the_rest(tmp_path: Path) -> None:
    """As browsers have it; the sentence after it tells nobody anything."""
    found = notice(tmp_path, "<h1>Privacy notice</h1><p>Kept for 1 year.\n<!-- Kept for 9 years.")

    assert [clause.periods for clause in found.clauses] == [(365,)]
    assert [(part.kind, part.line) for part in found.hidden_parts] == [("comment", 2)]


def test_a_page_of_too_many_tags_is_refused(tmp_path: Path) -> None:
    """It is named as unreadable, for the parser's time grows by their square."""
    with pytest.raises(UnreadableError, match="more than 20,000 tags"):
        notice(tmp_path, "<h1>Privacy notice</h1>" + "<a " * 30_000)
