"""A question at the prompt: what a person types, in either language, and what it decides."""

import io
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
from collections.abc import Iterable, Sequence
from fcntl import ioctl
from pathlib import Path
from typing import Any

import copies
import pytest
from rich.console import Console

from minerva_platform.cli.decide.prompt import Terminal, ask_at_terminal
from minerva_platform.cli.decide.question_text import Asking
from minerva_platform.cli.decide.question_view import Line, draw_lines
from minerva_platform.contract.run_object import Interrupt
from minerva_platform.text.language import Language

MINERVA = Path(sys.executable).with_name("minerva")
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
CTRL_C = "\x03"
ARGUMENTS = {"to": "Kim", "amount": 12_000}
SCHEMA = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "amount": {"type": "integer"}},
    "required": ["to", "amount"],
    "additionalProperties": False,
}

FORM = {
    "type": "object",
    "properties": {
        "room": {"enum": ["blue", "green"]},
        "urgent": {"type": "boolean"},
        "seats": {"type": "integer"},
    },
    "required": ["room", "urgent"],
}


class Scripted(Terminal):
    """A terminal at which somebody types these lines; it keeps what is shown."""

    def __init__(self, *typed: str) -> None:
        self.typed, self.shown = list(typed), ""

    def draw(self, lines: Iterable[Line]) -> None:
        """Keep it as it looks."""
        file = io.StringIO()
        Console(file=file, width=100).print(draw_lines(lines))
        self.shown += file.getvalue()

    def say(self, text: str) -> None:
        """Keep it."""
        self.shown += f"{text}\n"

    def read_line(self, prompt: str) -> str:
        """Type the next line."""
        self.shown += f"{prompt}{self.typed[0]}\n"
        return self.typed.pop(0)


def about_tool(**fields: Any) -> Interrupt:
    """Return a question about a call of `transfer`."""
    told: dict[str, Any] = {"path": "platform/pay", "kind": "tool", "tool": "transfer"}
    told |= {"arguments": ARGUMENTS, "answer_schema": SCHEMA}
    told |= {"allowed": ("approve", "edit", "reject", "respond"), **fields}
    return Interrupt(id="q", value=None, **told)


def about_answer(schema: Any) -> Interrupt:
    """Return a worker's own question, whose answer has a schema."""
    return Interrupt(
        id="q", value=None, text="Which?", allowed=("reject", "respond"), answer_schema=schema
    )


def typed(question: Interrupt, *lines: str, language: Language = "en") -> tuple[Any, str]:
    """Return what is decided by these lines, all of which are read, and what was shown."""
    desk = Scripted(*lines)
    decision = ask_at_terminal(Asking("r", question), language, desk)
    assert desk.typed == []
    return decision, desk.shown


@pytest.mark.parametrize(
    ("lines", "decision"),
    [
        (["a"], {"type": "approve"}),
        (["1"], {"type": "approve"}),
        (["Yes"], {"type": "approve"}),
        (["승인"], {"type": "approve"}),
        (["r", ""], {"type": "reject"}),
        (["거절", "너무 많아요"], {"type": "reject", "message": "너무 많아요"}),
        (["4", "", "s", "it was paid"], {"type": "respond", "message": "it was paid"}),
        ([""], None),
        (["approve it please", "a"], {"type": "approve"}),
        (["?", "a"], {"type": "approve"}),
    ],
)
def test_keys_and_words_of_both_languages_decide(lines: list[str], decision: Any) -> None:
    """Anything else is asked again; an empty line leaves the question open."""
    assert typed(about_tool(), *lines)[0] == decision


@pytest.mark.parametrize(
    ("word", "decided"),
    [
        *((word, "approve") for word in ("a", "1", "승인", "do it again")),
        *((word, "reject") for word in ("r", "실패로 처리")),
        ("it happened", "respond"),
    ],
)
def test_a_yes_or_no_does_not_say_what_became_of_an_effect(word: str, decided: str) -> None:
    """A yes may mean that it happened, and would do it again; only a named choice counts."""
    effect = about_tool(kind="effect", allowed=("approve", "reject", "respond"), answer_schema=None)
    unclear = ["y", "Yes", "ok", "네", "예", "응", "ㅇㅇ", "no", "아니오", "ㄴㄴ"]
    more = {"approve": [], "reject": [""], "respond": ["paid"]}[decided]

    decision, shown = typed(effect, *unclear, word, *more)

    assert decision["type"] == decided
    assert shown.count("A yes or no does not say which") == len(unclear)
    assert "`이미 됨`" in typed(effect, "네", "", language="ko")[1]


def test_an_edit_is_shown_as_a_difference_and_confirmed() -> None:
    """A wrong value is refused where it is typed; without a yes, the choices come again."""
    lines = ["e", "amount=many", "amont=9", "amount=9000", "", "no"]
    decision, shown = typed(about_tool(), *lines, "수정", "amount=9000", "", "네")

    assert decision == {
        "type": "edit",
        "edited_action": {"name": "transfer", "args": {"to": "Kim", "amount": 9_000}},
    }
    assert "`amount` is of type `integer`" in shown
    assert "There is no `amont` here. Known names: `to`, `amount`" in shown
    assert re.search(r"amount - │ 12000 *\n *\+ │ 9000", shown)
    assert typed(about_tool(), "e", "", "a")[0] == {"type": "approve"}


@pytest.mark.parametrize(
    ("schema", "lines", "value"),
    [
        ({"type": "boolean"}, ["perhaps", "네"], True),
        ({"type": "integer"}, ["3.5", "3"], 3),
        ({"enum": ["red", "green"]}, ["blue", "green"], "green"),
        (None, ["1"], "1"),
        (SCHEMA, ["amount", "amount=5", "Lee"], {"amount": 5, "to": "Lee"}),
        (SCHEMA, ['{"to": "Lee", "amount": 5}'], {"amount": 5, "to": "Lee"}),
        (SCHEMA, ['amount=5 to="Kim Lee"'], {"amount": 5, "to": "Kim Lee"}),
        (SCHEMA, ["to=Lee", "?", "many", "", "5"], {"amount": 5, "to": "Lee"}),
        (FORM, ["room=red", "room=blue", "성급히", "아니", ""], {"room": "blue", "urgent": False}),
        (FORM, ["urgent=yes", "red", "green", "2"], {"room": "green", "urgent": True, "seats": 2}),
    ],
)
def test_an_answer_is_typed_as_it_is(schema: Any, lines: list[str], value: Any) -> None:
    """It has the type that the worker asked for; what has not is refused and asked again."""
    assert typed(about_answer(schema), *lines)[0] == {"type": "respond", "value": value}


def test_a_form_says_what_each_field_may_be() -> None:
    """And it can be rejected, or left, in the middle of it."""
    decision, shown = typed(about_answer(FORM), "seats=2", "", "", "urgent=no", "/reject too dear")

    assert decision == {"type": "reject", "message": "too dear"}
    assert "room (blue / green) › " in shown
    assert "`room` is needed. [Enter] once more goes back to the question." in shown
    assert "[Enter] leaves out an optional field" in shown


def test_a_question_can_be_rejected_with_a_reason() -> None:
    """A word alone would be an answer."""
    decision, shown = typed(about_answer({"type": "string"}), "/reject not today", language="ko")

    assert decision == {"type": "reject", "message": "not today"}
    assert "[/reject 이유] 거절" in shown
    assert typed(about_answer(None), "reject")[0] == {"type": "respond", "value": "reject"}


def test_only_what_is_allowed_is_offered() -> None:
    """A word for anything else is not understood."""
    decision, shown = typed(about_tool(allowed=("approve", "reject")), "e", "a")

    assert decision == {"type": "approve"}
    assert "[2/e]" not in shown
    assert "not understood" in shown


@pytest.mark.parametrize("language", ["ko", "en"])
def test_all_is_said_in_the_language_of_the_person(language: Language) -> None:
    """Of a tool, an own question and an effect, with errors that have words in it."""
    lines = ("huh", "e", "amount=x", "amount", "", "")
    shown = "".join(
        typed(about_tool(kind=kind, text="42"), *lines, language=language)[1]
        for kind in ("tool", "effect")
    )
    for known in ("platform/pay", "transfer", "amount", "Kim", "integer", "JSON", "Enter", "huh"):
        shown = shown.replace(known, "")
    words = re.findall(r"[a-z]{4,}", re.sub(r"`[^`]*`|name=value", "", shown))

    assert bool(words) == (language == "en"), words
    assert bool(re.search("[가-힣]", shown)) == (language == "ko")


def at_terminal(cwd: Path, arguments: Sequence[str], script: Sequence[tuple[str, str]]) -> Any:
    """Type each answer when its words are there; return the exit code and what was shown."""
    near, far = pty.openpty()
    ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    environment.pop("COLUMNS", None)
    run = copies.Popen(
        [MINERVA, *arguments], cwd=cwd, env=environment, stdin=far, stdout=far, stderr=far
    )
    os.close(far)
    data, shown, answers, has_pressed = b"", "", list(script), False
    while True:
        if not select.select([near], [], [], 10)[0]:
            if has_pressed:
                run.send_signal(signal.SIGINT)  # one that comes just before readline waits is lost
            continue
        try:
            data += os.read(near, 65_536)
        except OSError:  # Linux says so when the other end is closed
            break
        shown = ESCAPE.sub("", data.decode("utf-8", "replace"))
        if answers and answers[0][0] in shown.rpartition("\n")[2]:
            _, answer = answers.pop(0)
            has_pressed = answer == CTRL_C
            if has_pressed:  # the terminal is not the process's own, which would do it
                run.send_signal(signal.SIGINT)
            else:
                os.write(near, answer.encode())
    os.close(near)
    assert answers == [], shown
    return run.wait(), ESCAPE.sub("", data.decode())


@pytest.mark.usefixtures("with_trial")
def test_a_person_edits_at_a_real_terminal(tmp_path: Path) -> None:
    """Shown in place of what would be forged, changed, confirmed, and done once."""
    script = [
        ("나중에 ›", "수정\r"),
        ("수정 ›", "amount=9000\r"),
        ("수정 ›", "\r"),
        ("아니오) ›", "네\r"),
    ]
    code, shown = at_terminal(tmp_path, ["ask", "pay 부탁해", "--team", "trial"], script)

    assert code == 0, shown
    assert re.search(r"│ rent\\n *\r\n *│ for May *\r\n *│ \\x1b\[2J\\u202e···", shown)
    assert "600자만 보입니다" in shown
    assert re.search(r"amount - │ 12000 *\r\n *\+ │ 9000", shown)
    assert "이어서 진행" in shown
    assert "pay edit" in shown
    assert (tmp_path / "paid").read_text(encoding="utf-8") == "Kim 9000\n"


@pytest.mark.usefixtures("with_trial")
def test_ctrl_c_leaves_the_question_open(tmp_path: Path) -> None:
    """Nothing is decided, and the command that decides later is there."""
    script = [("later ›", CTRL_C)]
    code, shown = at_terminal(tmp_path, ["ask", "pay", "--team", "trial"], script)

    assert code == 4, shown
    assert "Nothing is decided" in shown
    assert re.search(r"next: \S*minerva approve [0-9a-f]{32}", shown)
    assert "Traceback" not in shown
    assert not (tmp_path / "paid").exists()
