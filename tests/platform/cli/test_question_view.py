"""A question shows all that a person decides about, and nothing in it can act or pretend."""

import io
import json
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from rich.console import Console

from minerva_platform.cli.decide.edit_diff import change_lines, find_changes
from minerva_platform.cli.decide.question_text import (
    Asking,
    CommandOptions,
    Manner,
    question_line,
    see,
)
from minerva_platform.cli.decide.question_view import (
    Line,
    command_lines,
    draw_lines,
    plain_lines,
    question_lines,
)
from minerva_platform.cli.io.escape import harmless, harmless_json
from minerva_platform.contract.run_object import Interrupt

RUN = "0123456789abcdef0123456789abcdef"

HOSTILE = {
    "erases": "\x1b[2J\x1b[1;1H",
    "titles": "\x1b]0;forged\x07",
    "c1": "\x9b2J",
    "returns": "9000\r12000",
    "rubs_out": "9000\b\b\b\b12000",
    "breaks": "Kim\n  amount │ 1",
    "turns": "invoice\u202efdp.exe",
    "isolates": "\u2066a\u2069\u061c\u200e",
    "widthless": "pay\u200bpal\u2060\ufeff",
    "tags": "a\U000e0041\U000e0042",
    "blank": "a\u3164\u115f\u2800b",
    "covers": "a" + "\u0301" * 50,
    "looks_like_it": "a\\x1b",
    "separates": "a\u2028b\u2029c\x85d\vE\ff",
    "alone": "\ud800",
}


def asking(**fields: Any) -> Asking:
    """Return a tool's question about `fields`."""
    told: dict[str, Any] = {"path": "platform/pay/payer", "kind": "tool", "tool": "transfer"}
    told |= {"allowed": ("approve", "edit", "reject", "respond"), **fields}
    question = Interrupt(id="q1", value=None, **told)
    return Asking(RUN, question)


def drawn(lines: Iterable[Line], width: int = 80) -> str:
    """Return what a terminal gets, with its colours."""
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=True, color_system="standard")
    console.print(draw_lines(lines))
    return file.getvalue()


def plain(asked: Asking, language: Any, *, whole: bool = False) -> str:
    """Return what a pipe gets of a question and of what may be decided."""
    lines = (*question_lines(asked, language, whole=whole), *command_lines(asked, language))
    return plain_lines(lines)


def changes(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Return what a pipe gets of an edit."""
    return plain_lines(change_lines(find_changes(before, after), "en"))


def is_harmless(text: str) -> bool:
    """True if nothing but letters, colours of ours and ends of lines is there."""
    plain = re.sub(r"\x1b\[[\d;]*m", "", text)
    hidden = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    return all(char == "\n" or unicodedata.category(char) not in hidden for char in plain)


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_what_acts_or_hides_is_written_out(name: str) -> None:
    """In values, in names, in the tool, in the path and in the words; drawn, plain and in a log."""
    text = HOSTILE[name]
    question = asking(arguments={"a": text, text: [text]}, text=text, tool=text, path=text)
    for language in ("ko", "en"):
        assert is_harmless(drawn(question_lines(question, language)))
        assert is_harmless(plain(question, language))
        assert is_harmless(question_line(question, language))
    lines = [*change_lines(find_changes({"a": text}, {"a": f"{text}!", text: text}), "ko")]
    assert is_harmless(drawn(lines) + plain_lines(lines))
    assert "\\" in harmless(text)


@pytest.mark.slow
@given(st.text(st.sampled_from("\\nxu1b0\x1b\u202e가\n")) | st.text())
def test_two_texts_never_look_alike(text: str) -> None:
    """What is shown leads back to the text, so a person who reads it knows all of it."""
    shown = harmless(text)
    if shown == text:
        assert not re.search(r"\\[\\nrtxuU]", shown)
    else:
        assert shown.encode("latin-1", "backslashreplace").decode("unicode_escape") == text


@pytest.mark.slow
@given(
    st.recursive(
        st.text() | st.integers(), lambda inner: st.dictionaries(st.text(), inner), max_leaves=10
    )
)
def test_json_for_a_terminal_is_the_same_json(value: Any) -> None:
    """A parser reads from it what was written; a terminal sees no character that acts."""
    text = harmless_json(value)
    assert json.loads(text) == value
    assert is_harmless(text)


def test_a_value_cannot_look_like_another_argument() -> None:
    """A foreign line stands behind the bar of its own argument, in a narrow window, too."""
    forged = asking(arguments={"to": "Kim\namount │ 1\n" + "x" * 200, "amount": 9000})
    for width in (40, 80):
        lines = drawn(question_lines(forged, "en"), width).splitlines()
        (amount,) = (line for line in lines if re.sub(r"\x1b\[[\d;]*m", "", line).startswith("  a"))
        assert "9000" in amount


def test_what_is_cut_is_said_with_the_command_that_shows_it_whole() -> None:
    """A megabyte, a hundred lines, a hundred arguments; whole, nothing of them is missing."""
    long = "x" * 1_000_000 + "end"
    many = {f"argument {n}": n for n in range(100)}
    question = asking(arguments={"long": long, "lines": "a\n" * 100, **many}, text="w" * 5_000)
    short = drawn(question_lines(question, "en"), 1_000)
    whole = plain(question, "en", whole=True)

    assert len(short) < 10_000 * 20
    assert "600 of the 1,000,003 characters of `long` are shown" in short
    assert "characters of `lines` are shown" in short
    assert "62 more arguments are not shown" in short
    assert "600 of the question's 5,000 characters are shown" in short
    assert f"minerva waiting show {RUN}" in short
    assert long in whole
    assert "argument 99" in whole
    assert "w" * 5_000 in whole
    assert "are shown" not in whole


def test_a_text_and_a_number_differ() -> None:
    """So does what is empty, and what ends in a space."""
    arguments = {"number": 12, "text": "12", "none": None, "word": "null", "blank": "", "end": "a "}
    lines = plain(asking(arguments=arguments), "en").splitlines()

    assert [line for line in lines if "│" in line] == [
        "  number │ 12",
        '  text   │ "12"',
        "  none   │ null",
        '  word   │ "null"',
        '  blank  │ ""',
        '  end    │ "a "',
    ]


def test_every_allowed_decision_has_its_command() -> None:
    """Ready to type: quoted, with the options of the command before, and an id if it needs one."""
    question = asking(arguments={"to": "Kim's"}).question
    several = Asking(RUN, question, is_alone=False, options=CommandOptions(config=Path("my conf")))
    run = f"{RUN} q1"

    assert {kind: line.partition("minerva ")[2] for kind, line in several.commands.items()} == {
        "approve": f"approve {run} --config 'my conf'",
        "edit": f"""edit {run} --set 'to=Kim'"'"'s' --config 'my conf'""",
        "reject": f"reject {run} --config 'my conf'",
        "respond": f"respond {run} -m TEXT --config 'my conf'",
    }


def test_an_edit_shows_what_differs_and_no_more() -> None:
    """In a long text only the place; in lines one around; a type that changes counts."""
    before = {"a": 1, "b": "x" * 5_000 + "old" + "y" * 5_000, "c": "1\n2\n3\n4\n5", "d": 1}
    after = {"a": 1, "b": "x" * 5_000 + "new" + "y" * 5_000, "c": "1\n2\nthree\n4\n5", "d": True}
    text = changes(before, after)

    old, new, *lines, one, true = [line for line in text.splitlines() if "│" in line]
    assert ("old" in old, "new" in new, len(text) < 1_000) == (True, True, True)
    assert lines == ["  c   │ 2\\n", "    - │ 3\\n", "    + │ three\\n", "      │ 4\\n"]
    assert (one, true) == ("  d - │ 1", "    + │ true")
    assert changes(before, before).strip() == "Nothing is changed"


def test_a_long_edit_says_what_it_leaves_out() -> None:
    """Another text altogether is cut, a flood of lines is no difference of lines."""
    text = changes({"a": "x" * 5_000}, {"a": "y" * 5_000})
    flood = changes({"a": "x\n" * 900}, {"a": "y\n" * 900})

    assert text.count("600 of the 5,000 characters of `a` are shown") == 2
    assert "characters of `a` are shown" in flood
    assert len(flood) < 2_000


def test_what_langchain_repeats_of_a_call_is_not_shown_twice() -> None:
    """Its description holds the call as Python writes it; the arguments show it better."""
    words = "Tool execution requires approval\n\nTool: transfer\nArgs: {'amount': 1}"
    seen = plain(asking(text=words, arguments={"amount": 1}), "en")

    assert "  │ Tool execution requires approval\n  amount │ 1\n" in seen
    assert "Args:" not in seen


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"enum": ["blue", "green\x1b[2J"]}, r"The answer: blue / green\x1b[2J"),
        ({"type": "integer"}, "The answer: integer"),
        (
            {
                "type": "object",
                "properties": {"room": {"$ref": "#/$defs/Room"}, "why": {"type": "string"}},
                "required": ["room"],
                "$defs": {"Room": {"enum": ["blue", "green"]}},
            },
            "The answer: room (blue / green), why (optional)",
        ),
    ],
)
def test_what_an_answer_may_be_is_shown(schema: dict[str, Any], told: str) -> None:
    """Nobody has to guess a value and be refused."""
    asked = asking(kind="question", tool=None, allowed=("respond",), answer_schema=schema)

    assert told in drawn(question_lines(asked, "en"))
    assert is_harmless(plain(asked, "en"))


STALE = {
    "en": (
        "? platform/pay/payer asks whether it may call `transfer`\n"
        "  │ Pay?\n"
        "  to     │ Mallory\n"
        "  amount │ 999999\n"
        "  The decision before was about something else, so it was not used. "
        "It was asked then: pay: Pay?\n"
        "  `to`: Kim then, Mallory now\n"
        "  `amount`: 100 then, 999999 now\n"
        "  `cc`: Lee then, nothing now"
    ),
    "ko": (
        "? platform/pay/payer: `transfer` 도구를 호출해도 되는지 묻습니다\n"
        "  │ Pay?\n"
        "  to     │ Mallory\n"
        "  amount │ 999999\n"
        "  앞선 결정은 다른 것을 두고 한 것이어서 쓰지 않았습니다. 그때 물은 것: pay: Pay?\n"
        "  `to`: 그때 Kim, 지금 Mallory\n"
        "  `amount`: 그때 100, 지금 999999\n"
        "  `cc`: 그때 Lee, 지금 없음"
    ),
}
"""What a person reads whose decision was about something else."""


@pytest.mark.parametrize("language", STALE)
def test_old_stands_beside_new(language: Any) -> None:
    """Drawn, in a pipe and in one line."""
    before = {"to": "Kim", "amount": 100, "cc": "Lee"}
    question = asking(
        text="Pay?",
        arguments={"to": "Mallory", "amount": 999_999},
        earlier={"text": "Pay?", "tool": "pay", "arguments": before},
    )
    text = re.sub(r"\x1b\[[\d;]*m", "", drawn(question_lines(question, language), width=110))
    told = STALE[language].splitlines()
    assert [line.strip() for line in text.splitlines()] == [line.strip() for line in told]
    for note in STALE[language].splitlines()[-4:]:
        assert note.strip() in question_line(question, language)
        assert note.strip() in plain(question, language)


def test_the_line_of_a_log_shows_all_that_a_terminal_shows() -> None:
    """Every word, every argument, and what must be known about them."""
    question = asking(
        text="Pay?\nAt once?",
        arguments={"to": "K" * 700, "lines": "a\nb", "note": "n" * 500, "turned": "a\u202eb"},
        refused="`amount`: it is odd",
        answer_schema={"type": "object", "properties": {"to": {"type": "string"}}},
        expires_at=1_800_000_000.0,
        earlier={"text": "Pay?", "tool": "pay", "arguments": {"to": "Kim"}},
    )
    for language in ("ko", "en"):
        line = question_line(question, language)
        seen = see(question, language, Manner())
        shown = [seen.title, *seen.words, *seen.notes]
        shown += [f"{name}={value}" for name, value in seen.arguments]
        assert [each for each in shown if each not in line] == []
        assert (len(seen.notes) > 6, "\n" in line) == (True, False)
