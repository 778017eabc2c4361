"""Answers for people: nothing of them is lost, and excerpts say what they leave out."""

from minerva_platform.cli.io.console import to_plain_text
from minerva_platform.cli.views.answer import draw_markdown, excerpt

TABLE = "| name | where |\n| --- | --- |\n" + "\n".join(f"| n{n} | w{n} |" for n in range(20))


def test_an_excerpt_shows_the_beginning_of_each_part() -> None:
    """Tables keep their first rows; the rest is counted."""
    answer = f"intro\n\n## 하나\n\nfirst\n\n{TABLE}\n\nafter\n\n## two\n\nshort"
    shown = excerpt(answer, lines=20, rows=3)

    assert shown.startswith("intro\n\n## 하나\n\nfirst")
    assert "| n2 | w2 |" in shown
    assert "| n3 |" not in shown
    assert "*… 17 more lines*" in shown
    assert shown.endswith("## two\n\nshort")


def test_an_excerpt_closes_the_code_it_cuts() -> None:
    """An open fence would swallow everything after it."""
    answer = "## a\n```sql\n" + "SELECT 1;\n" * 30 + "```\n## b\nend"
    shown = excerpt(answer, lines=5)

    assert shown.count("```") == 2
    assert shown.index("more lines") > shown.rindex("```")


def test_a_heading_inside_code_begins_no_part() -> None:
    """Comments of shell scripts look like headings."""
    answer = "## a\n\n```sh\n## not a heading\n```\n"

    assert excerpt(answer) == answer.strip()


def test_a_drawn_table_loses_no_letters() -> None:
    """Long words are folded, where Rich alone would cut them."""
    row = "| TB_PATIENT.PAT_ID | " + "가" * 60 + " | " + "x" * 60 + " |"
    text = to_plain_text(draw_markdown(f"| a | b | c |\n| --- | --- | --- |\n{row}"), 60)

    assert "TB_PATIENT.PAT_ID" in text
    assert (text.count("가"), text.count("x")) == (60, 60)


def test_drawn_text_cannot_command_the_terminal() -> None:
    """An answer is data, whoever wrote it."""
    assert "\x1b" not in to_plain_text(draw_markdown("# a\x1b]0;title\x07\n\n`\x1b[2J`"), 60)
