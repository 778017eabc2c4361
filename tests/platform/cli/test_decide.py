"""`minerva approve`, `edit`, `reject`, `respond`, `resume` and `waiting`, as scripts use them."""

import json
import re
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from minerva_platform import Interrupt, Run
from minerva_platform.cli.decide.question_text import CommandOptions
from minerva_platform.cli.decide.run_to_end import say_questions
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

EFFECT = read_texts("minerva_platform.durable", "effect")
FORGED = "rent\nfor May \x1b[2J\u202e" + "·" * 2_000 + "x" * 1_000_000 + "the end"
"""What the trial team pays for."""

pytestmark = pytest.mark.usefixtures("with_trial")


def asked(invoke: Any, words: str, *options: str) -> dict[str, Any]:
    """Ask, and return the run, which waits."""
    done = invoke("ask", words, "--team", "trial", "--json", *options)
    assert done.exit_code == 4, done.stderr
    run: dict[str, Any] = json.loads(done.stdout)
    return run


def waiting(invoke: Any, *options: str) -> list[dict[str, Any]]:
    """Return the questions that wait, as a script reads them."""
    done = invoke("waiting", "--json", *options)
    told = json.loads(done.stdout)
    assert done.exit_code == 0
    assert told["total"] == len(told["questions"])
    questions: list[dict[str, Any]] = told["questions"]
    return questions


def paid(tmp_path: Path) -> list[str]:
    """Return what the tool was called with, one line a call."""
    file = tmp_path / "paid"
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


def test_an_approval_counts_once(invoke: Any, tmp_path: Path) -> None:
    """The run goes on to its end; whoever comes later learns who was first, and nothing runs."""
    run_id = asked(invoke, "pay")["run_id"]
    done = invoke("approve", run_id)
    late = invoke("reject", run_id, "-m", "no")
    later = invoke("edit", run_id[:8], "--set", "amount=1")

    assert (done.exit_code, done.stdout.strip()) == (0, "pay approve")
    assert "approved: transfer" in done.stderr
    assert [late.exit_code, later.exit_code] == [1, 1]
    assert re.search(r"`approve` by \S+ came first", late.stderr)
    assert paid(tmp_path) == ["Kim 12000"]
    assert waiting(invoke) == []


@pytest.mark.slow
def test_an_edit_has_values_of_the_arguments_types(invoke: Any, tmp_path: Path) -> None:
    """Typed one by one, or whole in a file or on standard input; what changes is shown."""
    one = asked(invoke, "pay")["run_id"]
    edited = invoke("edit", one, "--set", "amount=9000", "--set", "to=12")
    (tmp_path / "args.json").write_text('{"to": "Lee", "amount": 1}', encoding="utf-8")
    two = asked(invoke, "pay")["run_id"]
    invoke("edit", two, "--args", "args.json", "--set", "amount=2")
    three = asked(invoke, "pay")["run_id"]
    invoke("edit", three, "--args", "-", stdin=b'{"to": "Choi", "amount": 3}')

    assert edited.exit_code == 0
    assert "  amount - │ 12000\n         + │ 9000\n" in edited.stderr
    assert "`note`" not in edited.stderr
    assert paid(tmp_path) == ["12 9000", "Lee 2", "Choi 3"]


WRONG = {
    "edit --set amount=many": "`amount` is of type `integer`",
    "edit --set amont=1": "no `amont` here. Known names: `to`, `amount`, `note`",
    "edit --set amount": "no NAME=VALUE. Known names: `to`, `amount`, `note`",
    "edit --set amount=1 --set amount=2": "`amount` has two values",
    "edit --args nowhere.json": "--args nowhere.json: it cannot be read",
    "edit --args list.json": "one JSON object",
    "edit --args extra.json": "Known: `amount`, `note`, `to`",
    "edit --args nan.json": "it is no JSON",
    "edit": "--set NAME=VALUE",
    "respond": "-m TEXT",
    "approve --out list.json": "list.json",
    "approve --language fr": "there are ko, en",
    "approve --router nobody": "there are embedded",
}
"""What is typed wrongly, and what is said about it."""


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_next_command_never_repeats_an_effect(
    language: Language, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is typed unread must not do it again; the list says what the question is about."""
    effect = Interrupt(
        id="q",
        value=None,
        kind="effect",
        tool="order",
        text=EFFECT("unknown", "en", name="order"),
        allowed=("approve", "reject", "respond"),
    )
    run = Run(run_id="r", thread_id="t", status="needs_human", interrupts=(effect,))

    say_questions(run, language, CommandOptions())

    said = capsys.readouterr().err
    assert "minerva waiting show r" in said
    assert "minerva approve" not in said
    assert ("Nobody knows" in said) == (language == "en")  # the platform asks as the person reads


def test_what_is_typed_wrongly_decides_nothing(invoke: Any, tmp_path: Path) -> None:
    """It ends with 2 and with what to type; the question waits as before."""
    (tmp_path / "list.json").write_text("[1]", encoding="utf-8")
    (tmp_path / "extra.json").write_text('{"to": "a", "amount": 1, "x": 2}', encoding="utf-8")
    (tmp_path / "nan.json").write_text('{"amount": NaN}', encoding="utf-8")
    run_id = asked(invoke, "pay")["run_id"]
    for typed, said in WRONG.items():
        command, *options = typed.split()
        done = invoke(command, run_id, *options)
        assert (done.exit_code, said in done.stderr) == (2, True), (typed, done.stderr)

    assert paid(tmp_path) == []
    assert [question["run_id"] for question in waiting(invoke)] == [run_id]


def test_what_is_not_there_is_named(invoke: Any) -> None:
    """A run, a question, a question that the run no longer asks: 2, with where to look."""
    nothing = invoke("approve", "0123")
    run_id = asked(invoke, "weather")["run_id"]
    unknown = invoke("respond", run_id, "q1", "-m", "yes")
    wrong = invoke("approve", run_id)

    assert [nothing.exit_code, unknown.exit_code, wrong.exit_code] == [2, 2, 2]
    assert "There is no run `0123`" in nothing.stderr
    assert "minerva waiting" in nothing.stderr
    assert "It waits for: " in unknown.stderr
    assert f"minerva reject {run_id}\n" in wrong.stderr
    assert f"minerva respond {run_id} -m TEXT" in wrong.stderr


def test_a_question_of_another_run_is_found(invoke: Any) -> None:
    """Whoever typed the wrong run learns which one asks."""
    first, second = (asked(invoke, "pay") for _ in range(2))

    wrong = invoke("approve", first["run_id"], second["interrupts"][0]["id"])

    assert wrong.exit_code == 2
    assert f"Run `{second['run_id']}` asks it" in wrong.stderr


def test_who_comes_later_learns_what_was_decided_in_their_language(invoke: Any) -> None:
    """With the value, the time and the person, and nothing in it that a terminal obeys."""
    run_id = asked(invoke, "weather")["run_id"]
    invoke("reject", run_id, "-m", "비가 \x1b[31m와요\u202e")

    english = invoke("respond", run_id, "-m", "sun", "--language", "en").stderr
    korean = invoke("respond", run_id, "-m", "sun", "--language", "ko").stderr

    assert re.search(r"`reject` by \S+ came first\. It was decided at 20\d\d-", english)
    assert re.search(r"결정이 먼저였습니다\. 20\d\d-.*, 거절: ", korean)
    assert "와요\\u202e" in english
    assert "came first" not in korean
    assert not {"\x1b", "\u202e"} & {*english, *korean}


def test_a_pipe_gets_an_answer_that_no_terminal_obeys(invoke: Any) -> None:
    """A reason that a person typed may be pasted from anywhere, and somebody may `cat` the file."""
    run_id = asked(invoke, "weather")["run_id"]

    done = invoke("reject", run_id, "-m", "\x1b[31mno\u202e")

    assert "\\x1b[31mno\\u202e" in done.stdout


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "There is no answer, because a person rejected what was asked:"),
        ("ko", "담당자가 거절하여 답이 없습니다:"),
    ],
)
def test_a_no_that_no_worker_catches_is_no_breakdown(invoke: Any, language: str, said: str) -> None:
    """The run has no answer and ends with 1 as before; its words say that a person said no."""
    run_id = asked(invoke, "weather", "--language", language)["run_id"]

    done = invoke("reject", run_id, "-m", "too dear", "--language", language)

    assert done.exit_code == 1
    assert "failed (rejected)" in done.stderr
    assert "too dear" in done.stdout
    assert done.stdout.startswith(said)


@pytest.mark.slow
def test_several_questions_are_told_apart(invoke: Any, tmp_path: Path) -> None:
    """By their ids or the beginnings of them; the run ends when the last one is answered."""
    run = asked(invoke, "pay weather account")
    run_id = run["run_id"]
    ids = {question["path"].rpartition("/")[2]: question["id"] for question in run["interrupts"]}
    nameless = invoke("approve", run_id)
    first = invoke("respond", run_id, ids["weather"][:12], "-m", "네")
    second = invoke("reject", run_id, ids["pay"], "-m", "너무 많아요")
    last = invoke("respond", run_id, "--set", "iban=KR12", "--set", "limit=5")

    assert nameless.exit_code == 2
    assert all(each in nameless.stderr for each in ids.values())
    assert [first.exit_code, second.exit_code, last.exit_code] == [4, 4, 0]
    assert "sunny: True" in first.stdout
    assert {"pay reject 너무 많아요", "sunny: True", "account KR12 5"} <= set(
        last.stdout.splitlines()
    )
    assert paid(tmp_path) == []


def test_the_next_command_is_typed_as_it_stands(invoke: Any, tmp_path: Path) -> None:
    """In a pipe it is on standard error, quoted, with the options that it needs."""
    (tmp_path / "my conf").mkdir()
    (tmp_path / "my conf" / "platform.yaml").write_text("{}\n", encoding="utf-8")
    done = invoke("ask", "pay", "--team", "trial", "--config", "my conf", "--language", "ko")
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("  다음: "))
    command, show = re.split(r" {4}전체와 다른 답: ", line.removeprefix("  다음: "))
    seen = invoke(*shlex.split(show)[1:])
    decided = invoke(*shlex.split(command)[1:])

    assert done.exit_code == 4
    assert done.stdout == ""
    assert shlex.split(command)[1] == "approve"
    assert seen.exit_code == 0
    assert "승인: " in seen.stdout
    assert decided.exit_code == 0
    assert paid(tmp_path) == ["Kim 12000"]


def test_all_that_waits_is_listed(invoke: Any) -> None:
    """Of all threads, the oldest first, for a person and for a program."""
    assert "no question waits" in invoke("waiting", "--language", "en").stderr
    first = asked(invoke, "weather", "--thread", "a")
    second = asked(invoke, "pay", "--thread", "b")
    questions = waiting(invoke)
    table = invoke("waiting", "--language", "ko").stdout.splitlines()

    assert [each["thread_id"] for each in questions] == ["a", "b"]
    assert [each["run_id"] for each in questions] == [first["run_id"], second["run_id"]]
    assert questions[1]["path"] == "trial/pay"
    assert questions[1]["tool"] == "transfer"
    assert questions[1]["arguments"]["note"] == FORGED
    assert questions[1]["allowed"] == ["approve", "edit", "reject", "respond"]
    assert questions[0]["age_s"] >= 0
    assert questions[0]["expires_at"] is None
    assert table[0].startswith("| 기다린 시간 | 실행 | 질문 |")
    assert second["run_id"] in table[3]
    assert "trial/pay | transfer | 없음" in table[3]


def test_hostile_arguments_are_harmless_in_short_and_whole_on_request(invoke: Any) -> None:
    """In the notice of a run, in its JSON and in `waiting show`; what is cut is said."""
    run_id = asked(invoke, "pay")["run_id"]
    short = invoke("resume", run_id)
    whole = invoke("waiting", "show", run_id)
    as_json = invoke("waiting", "show", run_id, "--json")

    for done in (short, whole, as_json):
        assert not {"\x1b", "\u202e"} & set(done.stdout + done.stderr)
    assert short.exit_code == 4
    assert "the end" not in short.stderr
    assert f"minerva waiting show {run_id}" in short.stderr
    assert r"│ for May \x1b[2J\u202e·" in whole.stdout
    assert "the end" in whole.stdout
    assert json.loads(as_json.stdout)["questions"][0]["arguments"]["note"] == FORGED


def test_a_decision_that_comes_too_late_says_how_to_go_on(invoke: Any, minerva_home: Path) -> None:
    """The question is rejected by itself, and the run goes on with that."""
    run_id = asked(invoke, "late")["run_id"]
    with closing(sqlite3.connect(minerva_home / "state.db")) as database, database:
        database.execute("UPDATE interrupts SET expires_at = asked")
    late = invoke("respond", run_id, "-m", "now", "--language", "en")
    resumed = invoke("resume", run_id)

    assert late.exit_code == 1
    assert f"minerva resume {run_id}" in late.stderr
    assert resumed.exit_code == 1
    assert "rejected" in resumed.stdout
    assert waiting(invoke) == []


def test_a_run_whose_process_was_killed_goes_on(
    invoke: Any, start: Any, minerva_home: Path
) -> None:
    """`minerva resume` takes it up where it was; once it is over, it is shown again."""
    killed = start("ask", "die", "--team", "trial")
    killed.communicate()
    (listed,) = json.loads(invoke("runs", "--json").stdout)["runs"]
    shown, told = invoke("waiting"), json.loads(invoke("waiting", "--json").stdout)
    done = invoke("resume", listed["run_id"])
    again = invoke("resume", listed["run_id"], "--json")

    assert killed.returncode < 0
    assert f"minerva resume {listed['run_id']}" in shown.stderr
    assert told == {"questions": [], "total": 0, "cut_off": [listed["run_id"]]}
    assert "minerva resume" not in invoke("waiting").stderr
    assert (minerva_home / "begun").exists()
    assert (done.exit_code, done.stdout.strip()) == (0, "die: alive")
    assert (again.exit_code, json.loads(again.stdout)["status"]) == (0, "ok")


def test_a_thread_says_that_a_question_of_it_waits(invoke: Any) -> None:
    """The new turn does not drop it, and its command is there."""
    run_id = asked(invoke, "pay", "--thread", "t")["run_id"]
    done = invoke("ask", "speak", "--team", "trial", "--thread", "t", "--language", "en")

    assert done.exit_code == 0
    assert f"minerva waiting show {run_id}" in done.stderr
    assert "stays open" not in done.stderr  # the next words may be its answer
    assert [question["run_id"] for question in waiting(invoke)] == [run_id]


def test_a_decision_answers_with_the_run_and_its_files(invoke: Any, tmp_path: Path) -> None:
    """`--json` is the run object and nothing else; `--out` gets the answer."""
    run_id = asked(invoke, "pay speak")["run_id"]
    done = invoke("approve", run_id, "--json", "--out", tmp_path / "out")
    run = json.loads(done.stdout)

    assert done.exit_code == 0
    assert (run["run_id"], run["status"], run["interrupts"]) == (run_id, "ok", [])
    assert {hop["path"] for hop in run["hops"]} == {"trial/pay", "trial/speak"}
    assert (tmp_path / "out" / "answer.md").exists()


def test_help_lists_the_commands_and_loads_nothing_heavy(start: Any) -> None:
    """It is typed more often than any of them."""
    program = (
        "import sys, minerva_platform.cli.main\n"
        "sys.exit(bool({'sqlalchemy', 'langgraph', 'rich', 'jsonschema'} & set(sys.modules)))"
    )
    light = subprocess.run([sys.executable, "-c", program], check=False)
    listed = start("--help").communicate()[0].decode()
    names = re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE)

    assert light.returncode == 0
    assert names[:7] == ["ask", "chat", "waiting", "approve", "edit", "reject", "respond"]
