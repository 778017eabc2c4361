"""Runs of a server's tenants at the command line: who owns the home sees, decides and ends them."""

import json
import re
import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from ledger import Store, rows
from sqlalchemy import Connection, update

from minerva_platform import Task
from minerva_platform.storage.engine.location import URL_VARIABLE, PostgresPlace
from minerva_platform.storage.ledger.decisions import os_user
from minerva_platform.storage.ledger.run_start import NewRun, enqueue
from minerva_platform.storage.ledger.schema import decisions, runs, threads

pytestmark = pytest.mark.usefixtures("trial_alone")

OF = "the run `{}` is of the tenant `acme`"
Begin = Callable[..., str]


@pytest.fixture
def begin(store: Store, monkeypatch: pytest.MonkeyPatch) -> Begin:
    """Return what begins a run of a tenant as a server does, in its thread `t`; it gives its id."""
    if isinstance(store.place, PostgresPlace):
        monkeypatch.setenv(URL_VARIABLE, store.place.url)

    def begun(run_id: str, words: str, tenant: str = "acme", by: str | None = None) -> str:
        thread, task = f"t~of~{tenant}", Task(request=words)
        new = NewRun(run_id, thread, "trial", task, tenant=tenant, requester=by)
        with store.opened() as engine:
            enqueue(engine, new)
        return run_id

    return begun


@pytest.mark.small(databases=1)
@pytest.mark.slow
def test_a_tenant_s_question_is_listed_shown_and_decided(
    begin: Begin, invoke: Any, store: Store, tmp_path: Path
) -> None:
    """With the tenant's name, by the id or its beginning; a plain word decides nothing."""
    for number, words in enumerate(["pay", "pay", "pay", "pause"]):
        begin(f"ask{number}", words)
    assert invoke("worker", "--until-empty").exit_code == 0
    told = json.loads(invoke("waiting", "--json").stdout)["questions"]
    assert {(each["run_id"], each["tenant"], each["thread_id"]) for each in told} == {
        (f"ask{number}", "acme", "t") for number in range(4)
    }
    assert "| trial/pay (acme) |" in invoke("waiting").stdout
    shown = invoke("waiting", "show", "ask0", "--language", "ko")
    assert ("minerva approve ask0" in shown.stdout, "테넌트 `acme`" in shown.stderr) == (True, True)
    assert "minerva respond ask3" in invoke("runs", "wait", "ask3").stderr
    assert "4 runs begin with `ask`: ask0, ask1" in invoke("approve", "ask").stderr
    assert invoke("ask", "yes", "--team", "trial", "--thread", "t~of~acme").exit_code == 2
    with store.opened() as engine:
        assert rows(engine, decisions.c.run_id) == []

    for words, code in (
        ("edit ask0 --set amount=1", 0),
        ("approve ask1", 0),
        ("reject ask2 -m no", 0),
        ("respond ask3 -m yes", 0),
    ):
        done = invoke(*shlex.split(words))
        assert (done.exit_code, OF.format(words.split()[1]) in done.stderr) == (code, True)
    paid = (tmp_path / "paid").read_text(encoding="utf-8").splitlines()
    assert paid == ["Kim 1", "Kim 12000"]
    with store.opened() as engine:
        assert {tenant for (tenant,) in rows(engine, runs.c.tenant)} == {"acme"}
    audited = [json.loads(line) for line in invoke("audit", "--tenant", "acme").stdout.splitlines()]
    asked = {each["id"]: each["shown_sha256"] for each in told}
    assert [(each["run_id"], each["decision"]["type"]) for each in audited] == [
        ("ask0", "edit"),
        ("ask1", "approve"),
        ("ask2", "reject"),
        ("ask3", "respond"),
    ]
    assert all(each["shown_sha256"] == asked[each["question"]["id"]] for each in audited)
    assert [each["request"] for each in audited] == ["pay", "pay", "pay", "pause"]
    assert {each["by"] for each in audited} == {os_user()}
    assert "--since" in invoke("audit", "--since", "soon").stderr
    assert invoke("audit", "--since", "2100-01-01").stdout == ""
    assert invoke("audit", "--tenant", "other").stdout == ""


@pytest.mark.small(databases=1)
@pytest.mark.slow
def test_a_tenant_s_run_is_followed_and_ended(begin: Begin, invoke: Any) -> None:
    """By wait, events, cancel and resume; `last` names one, of the tenant that is typed."""
    begin("first", "speak")
    invoke("worker", "--until-empty")
    begin("queued", "speak")
    waited = invoke("runs", "wait", "queued", "--seconds", "0")
    followed = invoke("runs", "events", "first")
    assert ("has not ended" in waited.stderr, OF.format("queued") in waited.stderr) == (True, True)
    assert "run_ended" in followed.stdout
    assert OF.format("queued") in invoke("runs", "wait", "last", "--seconds", "0").stderr
    assert "no run `last`" in invoke("runs", "wait", "last", "--tenant", "other").stderr
    assert "no run `queued`" in invoke("runs", "cancel", "queued", "--tenant", "other").stderr
    assert "no run `last`" in invoke("runs", "--tenant", "other", "cancel", "last").stderr
    assert "too short" in invoke("runs", "cancel", "que").stderr
    resumed = invoke("resume", "queued")
    assert (resumed.exit_code, OF.format("queued") in resumed.stderr) == (0, True)
    begin("other", "speak")
    assert "is cancelled" in invoke("runs", "cancel", "other").stderr
    assert json.loads(invoke("runs", "wait", "other", "--json").stdout)["status"] == "cancelled"


@pytest.mark.small(databases=1)
@pytest.mark.slow
def test_what_the_doctor_says_to_type_of_a_tenant_s_run_works(begin: Begin, invoke: Any) -> None:
    """Each command of a finding, as it stands."""
    begin("ask", "pay")
    invoke("worker", "--until-empty")
    begin("queued", "speak")
    told = json.loads(invoke("doctor", "--json").stdout)
    found = [each for each in (*told["findings"], *told["notes"]) if "runs/" in each["where"]]

    assert [each["code"] for each in found] == ["run_waits", "run_queued"]
    for each in found:
        words = shlex.split(each["type"])
        more = ["--until-empty"] if words[-1] == "worker" else []
        done = invoke(*words[1:], *more)
        assert done.exit_code == 0, (each, done.stderr)


HOUR = (
    ("Which approvals wait, and of which tenant?", "wait", "waiting", r"\(acme\).*\n.*\(globex\)"),
    ("Since when does the oldest wait?", "wait", "waiting", r"\n\| \d+ \w+ \| ask1 "),
    ("Who asked, and for what?", "wait", "waiting", r"ask1 .* ann \| pay for the rabbit"),
    ("Which wait of the tenant acme?", "wait", "waiting --tenant acme", r"ask1(?!(.|\n)*ask2)"),
    ("What does it want to do?", "wait", "waiting show ask1", r"`transfer`\n +to +│ Kim"),
    ("Which run was cancelled, and whose was it?", "runs of", "runs", r"gone .* globex +bob"),
    ("Who cancelled it?", "runs of", "runs gone", r"cancelled \(by {user}\)"),
    ("When was that?", "decided", "audit --tenant globex", r'"at": .*"by": "{user}".*"cancel"'),
    (
        "Who rejected what, and why?",
        "decided",
        "audit --since 1d",
        r'"ask3".* "message": "not today"',
    ),
    ("Is a run stuck?", "runs of", "runs", r"stuck .* not finished"),
    ("What did the person ask?", "runs of", "runs stuck", r"ann · tenant acme\nspeak for an hour"),
    ("Why is it stuck, and what now?", "stuck", "doctor", r"stuck was cut .*\n.* resume stuck"),
    ("Does the queue move?", "stuck", "doctor", r"alive: 0\.(.|\n)*next waits .*\n.* worker"),
    ("What does globex ask for?", "runs of", "runs --tenant globex", r"fine .* speak \[masked\]"),
    ("What came last?", "last", "runs last", r"^run next\n· queued "),
    ("How many failed today?", "failures", "stats --since 1d", r"runs +6 .* 1 failed"),
    (
        "Where did they begin?",
        "failures",
        "stats",
        r"2 in all · 2 of 5 calls of workers · 1 bypassed",
    ),
    ("Which was bypassed?", "runs of", "runs half", r"bypassed +trial/fail +RuntimeError: \[bold"),
    ("Which agent is the slowest?", "times", "stats", r"slowest +\w+, \d"),
    ("What do the models cost?", "costs", "stats --by model", r"Nothing to show by model"),
    ("Which version answered?", "runs of", "runs fine", r"minerva-platform .*, trial-team 1\.0"),
    ("Approve it.", "Approve what", "approve ask1", r"approved: transfer"),
    ("Let the stuck run go on.", "cut off", "resume stuck", r"speak for an hour"),
    (
        "Forget a thread.",
        "Erase",
        "forget t --tenant local --yes",
        r"t~of~local(.|\n)*ask3  .*local",
    ),
    (
        "Make room.",
        "Remove old",
        "prune --keep 0 --dry-run",
        r"^Runs that wait.*: 2(.|\n)*runs: 6,",
    ),
)
"""What an operator asks or wants, a word of `minerva --help` that is about it, the command whose
line has the word first, and the answer."""


@pytest.mark.whole
def test_an_operator_s_hour(begin: Begin, invoke: Any, store: Store, tmp_path: Path) -> None:
    """Three tenants: approvals that wait, a cancelled run, a stuck one, failures, a rejection."""
    begin("ask1", "pay for the rabbit", "acme", "ann")
    begin("ask2", "pay", "globex", "bob")
    begin("ask3", "pay", "local")
    begin("fine", "speak 900101-1234568", "globex", "bob")
    begin("half", "fail and speak", "globex", "bob")
    begin("down", "fail", "globex", "bob")
    assert invoke("worker", "--until-empty", "--at-once", "1").exit_code == 0
    begin("gone", "speak of the end", "globex", "bob")
    assert invoke("runs", "cancel", "gone").exit_code == 0
    assert invoke("reject", "ask3", "-m", "not today").exit_code == 0
    begin("stuck", "speak for an hour", "acme", "ann")
    begin("next", "speak", "globex", "bob")
    with store.opened() as engine:
        engine.write(partial(_leave_behind, run_id="stuck"))
    (tmp_path / "quiet").mkdir()
    (tmp_path / "quiet" / "platform.yaml").write_text("record_text: false\n", encoding="utf-8")
    for command in ("runs", "waiting", "audit", "runs stuck"):
        quiet = invoke(*command.split(), "--config", tmp_path / "quiet").stdout
        assert "hour" not in quiet
        assert "rabbit" not in quiet

    summaries = invoke("--help").stdout.splitlines()
    for question, about, command, answer in HOUR:
        first = next(line.split()[0] for line in summaries if about in line)
        assert first == command.split()[0], question
        done = invoke(*command.split())
        assert done.exit_code == (command == "doctor"), (question, done.stderr)
        told = done.stdout + done.stderr
        assert re.search(answer.replace("{user}", os_user()), told, re.MULTILINE), (question, told)
        assert "900101-1234568" not in told
    audited = map(json.loads, invoke("audit").stdout.splitlines())
    assert {(each["run_id"], each["decision"]["type"]) for each in audited} == {
        ("gone", "cancel"),
        ("ask1", "approve"),
    }


def _leave_behind(connection: Connection, run_id: str) -> None:
    """Let a run look as one whose process has ended."""
    connection.execute(update(runs).where(runs.c.run_id == run_id).values(status="running"))
    its = threads.c.thread_id == "t~of~acme"
    connection.execute(update(threads).where(its).values(holder="gone", lease_until=0.0))
