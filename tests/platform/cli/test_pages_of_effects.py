"""What a person reads of effects, in each case and in both languages: one page a language.

The pages lie beside this file. `WRITE_PAGES=1 pytest tests/platform/cli/test_pages_of_effects.py`
writes them anew: read them as one who was not there, and has to know what was done, what was not,
and what to type.
"""

import io
import json
import os
import re
import signal
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from sqlalchemy import update

from minerva_platform.cli.decide.prompt import Terminal, ask_at_terminal
from minerva_platform.cli.decide.question_text import Asking
from minerva_platform.cli.decide.question_view import Line, draw_lines
from minerva_platform.contract.run_object import Interrupt
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.schema import interrupts
from minerva_platform.text.language import Language

OFFICE = '''
"""An office that pays, mails and asks; files in the folder say what befalls it."""

import os
import re
import signal
import time
from pathlib import Path

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team
from minerva_platform import ask_approval, ask_person, effect

MAIL = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "copies": {"type": "integer"}},
    "required": ["to", "copies"],
    "additionalProperties": False,
}


@effect("once", target="invoice")
def pay(invoice: int) -> str:
    """Pay an invoice."""
    if Path("kill").exists():
        os.kill(os.getpid(), signal.SIGKILL)
    return f"paid {invoice}"


class Payer(BaseAgent[AgentInput, AgentOutput]):
    name = "payer"
    description = "Pays invoices."
    examples = (
        *("pay invoice 7", "settle invoice 12", "please pay the bill with number 9"),
        *("송장 7번 결제해줘", "12번 송장 지급해줘", "송장 5번 납부 부탁해요"),
    )

    def work(self, given):
        told = pay(int(re.findall(r"\\d+", given.request)[0]))
        if Path("fail").exists():
            raise ConnectionError("the printer does not answer")
        while Path("hold").exists():
            Path("at-work").touch()
            time.sleep(0.01)
        return AgentOutput(summary=told)


class Sender(BaseAgent[AgentInput, AgentOutput]):
    name = "sender"
    description = "Sends mail."
    examples = (
        *("mail Kim the minutes", "send Lee a mail about Friday", "write a mail to Park"),
        *("김대리에게 메일 보내줘", "박과장한테 회의록 메일 발송해줘", "이부장께 메일 써서 보내줘"),
    )

    def work(self, given):
        copies = 2 if Path("two").exists() else 1
        asked = {"tool": "mail", "arguments": {"to": "Kim", "copies": copies}, "schema": MAIL}
        return AgentOutput(summary=f"mailed {ask_approval('Send this mail?', **asked)}")


class Booker(BaseAgent[AgentInput, AgentOutput]):
    name = "booker"
    description = "Books rooms."
    examples = (
        *("book a room for Monday", "reserve the big room", "we need a room for six people"),
        *("월요일 회의실 예약해줘", "대회의실 잡아줘", "여섯 명 들어갈 방 예약 부탁해요"),
    )

    def work(self, given):
        return AgentOutput(summary=ask_person("Which room?", expires_in=3600))


office = Team(name="office", description="Runs errands.", members=(Payer, Sender, Booker))
'''
SAID: dict[Language, Mapping[str, str]] = {
    "en": {
        "pay": "pay invoice 3",
        "again": "pay invoice 3 again",
        "paid": "is it paid?",
        "mail": "mail Kim the minutes",
        "room": "book a room for Monday",
        "other": "what about 4?",
        "on": "go on",
    },
    "ko": {
        "pay": "송장 3번 결제해줘",
        "again": "송장 3번 다시 결제해줘",
        "paid": "결제됐어?",
        "mail": "김대리에게 메일 보내줘",
        "room": "월요일 회의실 예약해줘",
        "other": "4번은?",
        "on": "계속해",
    },
}
_HIDDEN = {
    r"(?:/\S+/)?minerva (?=[a-z])": "minerva ",
    r"\b[0-9a-f]{32}\b": "RUN",
    r"\b[0-9a-f]{8}\b": "ID",
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?(?: ?[+A-Z][\w:]*)?": "TIME",
    r"\b[\d,]+(?:\.\d)? (?:ms|s)\b": "DURATION",
    r"\b[\d,]+(?:\.\d)?초": "DURATION",
    r"office\.py:\d+": "office.py:LINE",
}
"""What differs from one day or machine to the next."""


class Desk(Terminal):
    """A terminal at which somebody types these lines; it keeps what is shown."""

    def __init__(self, *typed: str) -> None:
        self.typed, self.shown = [*typed], ""

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


class Page:
    """Commands that are typed in a folder, and what a person reads there."""

    def __init__(self, folder: Path, language: Language, type_in: Any, start: Any) -> None:
        self.folder, self.type_in, self.start = folder, type_in, start
        self.language: Language = language
        self.said, self.lines = SAID[language], list[str]()
        (folder / "configs").mkdir()
        (folder / "configs/office.py").write_text(OFFICE, encoding="utf-8")
        settings = "keep_state: true\nteams: ['./office.py:office']\n"
        (folder / "configs/platform.yaml").write_text(settings, encoding="utf-8")

    @property
    def text(self) -> str:
        """The whole page."""
        return "\n".join(self.lines)

    def case(self, title: str) -> None:
        """Begin a case."""
        self.lines.append(f"## {title}\n")

    def ask(self, words: str, thread: str, *, is_shown: bool = True) -> str:
        """Ask something in a thread; return the id of the run."""
        self.typed(*self.words(words, thread), is_shown=is_shown)
        runs: list[dict[str, str]] = json.loads(self.type_in("runs", "--json").stdout)["runs"]
        return runs[0]["run_id"]

    def words(self, words: str, thread: str) -> tuple[str, ...]:
        """Return the command that asks."""
        return "ask", self.said[words], "--team", "office", "--thread", thread

    def typed(self, *words: str, is_shown: bool = True) -> None:
        """Type a command, and keep what it prints."""
        done = self.type_in(*words, "--language", self.language)
        if is_shown:
            self.keep(" ".join(words), done.returncode, done.stdout, done.stderr)

    def keep(self, typed: str, code: int, *printed: str) -> None:
        """Keep what was typed and printed, without what differs from day to day."""
        text = "\n".join(filter(None, map(str.strip, printed)))
        whole = f"$ minerva {typed}\n{text}\n(ends with {code})"
        whole = whole.replace(str(self.folder), "FOLDER")
        for pattern, name in _HIDDEN.items():
            whole = re.sub(pattern, name, whole)
        lines = (line.rstrip() for line in whole.splitlines())
        self.lines.append("\n".join(("````text", *lines, "````\n")))

    def prompt(self, run: str, *lines: str) -> None:
        """Keep how a question looks at a terminal at which somebody types these lines."""
        shown = json.loads(self.type_in("waiting", "show", run, "--json").stdout)
        (told,) = shown["questions"]
        del told["run_id"]
        desk = Desk(*lines)
        ask_at_terminal(Asking(run, Interrupt.model_validate(told)), self.language, desk)
        self.keep("…", 4, desk.shown)

    def begin(self, words: str, thread: str, flag: str) -> Any:
        """Ask in a process of its own, with a file in the folder; return the process."""
        (self.folder / flag).touch()
        return self.start(*self.words(words, thread), "--language", self.language)


def effects_that_are_told(page: Page) -> None:
    """Print the cases in which something was done, and is asked about."""
    page.case("A payment is made, and the worker fails then")
    (page.folder / "fail").touch()
    page.ask("pay", "failed")
    (page.folder / "fail").unlink()
    page.case("Somebody asks whether it is paid")
    page.ask("paid", "failed")
    page.case("It is asked for once more in a later turn")
    again = page.ask("again", "failed")
    page.typed("waiting", "show", again)
    page.prompt(again, "")
    page.case("Somebody asks whether it is paid while that question waits")
    page.ask("paid", "failed")
    page.case("It is not to be paid again")
    page.typed("reject", again, "-m", "once is enough")


def effects_of_a_killed_run(page: Page) -> None:
    """Print what is to be read when the process was killed in a payment."""
    killed = page.begin("pay", "killed", "kill")
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    (page.folder / "kill").unlink()
    runs = json.loads(page.type_in("runs", "--json").stdout)["runs"]
    page.case("The process is killed in a payment, and somebody asks whether it is paid")
    page.ask("paid", "killed")
    page.case("The run that was killed goes on")
    page.typed("resume", runs[0]["run_id"])
    page.typed("waiting", "show", runs[0]["run_id"])
    page.prompt(runs[0]["run_id"], "yes" if page.language == "en" else "네", "")


def cancelled_turns(page: Page) -> None:
    """Print what is to be read after Ctrl-C, and after a run was cancelled."""
    page.case("Ctrl-C when the payment is made")
    stopped = page.begin("pay", "stopped", "hold")
    while not (page.folder / "at-work").exists():
        assert stopped.poll() is None
        time.sleep(0.01)
    stopped.send_signal(signal.SIGINT)
    out, err = (each.decode() for each in stopped.communicate())
    (page.folder / "hold").unlink()
    page.keep(" ".join(page.words("pay", "stopped")), stopped.returncode, out, err)
    page.ask("paid", "stopped")
    page.case("Words after a cancelled request that did nothing")
    waits = page.ask("mail", "cancelled", is_shown=False)
    page.typed("runs", "cancel", waits)
    page.ask("on", "cancelled")
    page.ask("other", "cancelled")


def decisions_that_come_to_nothing(page: Page) -> None:
    """Print what is to be read of decisions that are wrong, or that come too late."""
    page.case("An edit that the call does not take")
    mail = page.ask("mail", "edited")
    page.typed("edit", mail, "--set", "copies=many")
    page.typed("edit", mail, "--set", "cc=Lee")
    page.case("A cancel that comes after the approval")
    page.typed("approve", mail)
    page.typed("runs", "cancel", mail)
    page.case("An approval that comes after the cancel")
    mail = page.ask("mail", "lost", is_shown=False)
    page.typed("runs", "cancel", mail, is_shown=False)
    page.typed("approve", mail)
    page.case("An answer that comes too late")
    room = page.ask("room", "late")
    with opened_engine(Path(os.environ["MINERVA_HOME"]) / "state.db") as engine:
        engine.write(lambda c: c.execute(update(interrupts).values(expires_at=1.0)))
    page.typed("respond", room, "-m", "blue")
    page.typed("waiting", "show", room)
    page.case("An approval of a call whose arguments have changed since")
    mail = page.ask("mail", "changed", is_shown=False)
    (page.folder / "two").touch()
    page.typed("approve", mail)
    page.typed("waiting", "show", mail)
    page.prompt(mail, "")
    page.typed("approve", mail)


@pytest.mark.small(1)
@pytest.mark.parametrize("language", ["en", "ko"])
def test_one_who_was_not_there_knows_what_was_done(
    tmp_path: Path, language: Language, type_in: Any, start: Any
) -> None:
    """And what was not, and what to type: the pages are as they were when somebody read them."""
    page = Page(tmp_path, language, type_in, start)
    effects_that_are_told(page)
    effects_of_a_killed_run(page)
    cancelled_turns(page)
    decisions_that_come_to_nothing(page)

    golden = Path(__file__).with_name(f"pages_of_effects_{language}.md")
    if os.environ.get("WRITE_PAGES"):
        golden.write_text(page.text, encoding="utf-8")
    assert page.text == golden.read_text(encoding="utf-8")


def test_programs_and_the_tree_of_a_run_tell_effects_too(tmp_path: Path, type_in: Any) -> None:
    """`--json` has all of them, `minerva runs` and the records what became of each."""
    page = Page(tmp_path, "en", type_in, None)
    (tmp_path / "fail").touch()
    printed = type_in(*page.words("pay", "t"), "--json")
    run = json.loads(printed.stdout)
    tree = type_in("runs", run["run_id"]).stdout
    records = (Path(os.environ["MINERVA_HOME"]) / "runs.jsonl").read_text(encoding="utf-8")
    rows = map(json.loads, records.splitlines())
    (row,) = [each for each in rows if each["kind"] == "agent"]

    (effect,) = run["effects"]
    assert (effect["name"], effect["outcome"]) == ("pay", "done")
    assert (effect["arguments"], effect["run_id"]) == ({"invoice": 3}, run["run_id"])
    assert "effects: pay done" in tree
    kept = {"name": "pay", "key": effect["key"], "outcome": "done"}
    assert row["decision"]["effects"] == [kept]
