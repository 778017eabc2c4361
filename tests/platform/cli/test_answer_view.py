"""Answers for people: nothing of them is lost, and a summary reads the parts as they stand."""

from minerva_platform.cli.io.console import cut, to_plain_text
from minerva_platform.cli.views.answer import draw_markdown
from minerva_platform.cli.views.answer_parts import parts_of
from minerva_platform.cli.views.demo import fitted

ANSWER = """intro

## 하나

**first** of `one`
goes on

| name | a \\| b |
| --- | --- |
| `n0` | w0 |
| n1 | w1 |

| second | table |
| --- | --- |
| x | y |

## two

### Heading first

then a text

```sh
## not a heading
```
"""


def test_the_parts_of_an_answer_are_read() -> None:
    """Each with its heading, what it says first, and its first table, without Markdown's marks."""
    intro, one, two = parts_of(ANSWER)

    assert (intro.title, intro.lead, intro.head) == ("", "intro", ())
    assert (one.title, one.lead) == ("하나", "first of one goes on")
    assert one.head == ("name", "a | b")
    assert one.rows == [("n0", "w0"), ("n1", "w1")]
    assert (two.title, two.lead, two.rows) == ("two", "Heading first", [])


def test_a_text_is_cut_after_an_item_or_a_word() -> None:
    """Never inside of one; wide letters count twice."""
    assert cut("app/a.py:13 dict key, app/b.py:2 SQL", 26) == "app/a.py:13 dict key, …"
    assert cut("PII-01 고유식별정보는 암호화하여", 24) == "PII-01 고유식별정보는 …"
    assert cut("an_identifier_that_is_long", 10) == "…"
    assert cut("fits", 4) == "fits"


def test_a_table_loses_columns_where_there_is_no_room() -> None:
    """From the right; a reader of English gets no column of Korean names."""
    part = parts_of(
        "| Column | Name | Status | Type |\n|---|---|---|---|\n| `A_B` 환자 | 환자명 | new | CHAR |"
    )[0]

    assert fitted(part, 80, "ko")[1] == ["A_B 환자", "환자명", "new", "CHAR"]
    assert fitted(part, 80, "en") == [["Column", "Status", "Type"], ["A_B", "new", "CHAR"]]
    assert fitted(part, 16, "en") == [["Column", "Status"], ["A_B", "new"]]


def test_a_drawn_table_loses_no_letters() -> None:
    """Long words are folded, where Rich alone would cut them."""
    row = "| TB_PATIENT.PAT_ID | " + "가" * 60 + " | " + "x" * 60 + " |"
    text = to_plain_text(draw_markdown(f"| a | b | c |\n| --- | --- | --- |\n{row}"), 60)

    assert "TB_PATIENT.PAT_ID" in text
    assert (text.count("가"), text.count("x")) == (60, 60)


def test_drawn_text_cannot_command_the_terminal() -> None:
    """An answer is data, whoever wrote it."""
    assert "\x1b" not in to_plain_text(draw_markdown("# a\x1b]0;title\x07\n\n`\x1b[2J`"), 60)
