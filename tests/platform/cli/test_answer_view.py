"""Answers for people: nothing of them is lost."""

from minerva_platform.cli.io.console import cut, to_plain_text
from minerva_platform.cli.views.answer import draw_markdown


def test_a_text_is_cut_after_an_item_or_a_word() -> None:
    """Never inside of one; wide letters count twice."""
    assert cut("app/a.py:13 dict key, app/b.py:2 SQL", 26) == "app/a.py:13 dict key, …"
    assert cut("PII-01 고유식별정보는 암호화하여", 24) == "PII-01 고유식별정보는 …"
    assert cut("an_identifier_that_is_long", 10) == "…"
    assert cut("fits", 4) == "fits"


def test_a_drawn_table_loses_no_letters() -> None:
    """Long words are folded, where Rich alone would cut them."""
    row = "| TB_PATIENT.PAT_ID | " + "가" * 60 + " | " + "x" * 60 + " |"
    text = to_plain_text(draw_markdown(f"| a | b | c |\n| --- | --- | --- |\n{row}"), 60)

    assert "TB_PATIENT.PAT_ID" in text
    assert (text.count("가"), text.count("x")) == (60, 60)


def test_drawn_text_cannot_command_the_terminal() -> None:
    """An answer is data, whoever wrote it."""
    assert "\x1b" not in to_plain_text(draw_markdown("# a\x1b]0;title\x07\n\n`\x1b[2J`"), 60)
