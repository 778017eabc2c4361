"""Runs of a server's tenants at the command line: who owns the home sees, decides and ends them."""

import json
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

pytestmark = pytest.mark.usefixtures("with_trial")

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
    ("Which approvals wait, and of which tenant?", "wait", "waiting --json"),
    ("What does the one that waits the longest ask, and who asked?", "wait", "waiting --json"),
    ("Which run was cancelled, and whose was it?", "runs of", "runs --json"),
    ("Is a run stuck?", "runs of", "runs --json"),
    ("What did the person ask whose run is stuck?", "runs of", "runs stuck"),
    ("What did the tenant globex ask for?", "runs of", "runs --tenant globex"),
    ("Who rejected what since yesterday, when, and why?", "decided", "audit --since 1d"),
)
"""What an operator asks, what it is about, and the command of `minerva --help` that is about it."""


@pytest.mark.slow
@pytest.mark.small(databases=1)
def test_an_operator_s_hour(begin: Begin, invoke: Any, store: Store, tmp_path: Path) -> None:
    """Three tenants: approvals that wait, a cancelled run, a stuck one, a rejected one."""
    begin("ask1", "pay for the rabbit", "acme", "ann")
    begin("ask2", "pay", "globex", "bob")
    begin("ask3", "pay", "local")
    begin("fine", "speak 900101-1234568", "globex", "bob")
    assert invoke("worker", "--until-empty", "--at-once", "1").exit_code == 0
    begin("gone", "speak of the end", "globex", "bob")
    assert invoke("runs", "cancel", "gone").exit_code == 0
    assert invoke("reject", "ask3", "-m", "not today").exit_code == 0
    begin("stuck", "speak for an hour", "acme", "ann")
    with store.opened() as engine:
        engine.write(partial(_leave_behind, run_id="stuck"))

    summaries = invoke("--help").stdout.splitlines()
    told = []
    for _, about, command in HOUR:
        first = next(line.split()[0] for line in summaries if about in line)
        assert first == command.split()[0]
        done = invoke(*command.split())
        assert done.exit_code == 0, done.stderr
        told.append(done.stdout)

    waiting = json.loads(told[0])["questions"]
    assert [(each["run_id"], each["tenant"], each["requester"]) for each in waiting] == [
        ("ask1", "acme", "ann"),
        ("ask2", "globex", "bob"),
    ]
    oldest = json.loads(told[1])["questions"][0]
    assert (oldest["request"], oldest["tool"]) == ("pay for the rabbit", "transfer")
    listed = json.loads(told[2])
    runs_told = {each["run_id"]: each for each in (*listed["unrecorded"], *listed["runs"])}
    gone, stuck = runs_told["gone"], runs_told["stuck"]
    assert (gone["status"], gone["tenant"], gone["requester"]) == ("cancelled", "globex", "bob")
    assert (stuck["status"], stuck["reason"]) == ("running", "no process works on it")
    assert "speak for an hour" in told[4]
    assert "asked by ann · tenant acme" in told[4]
    assert {line.split()[0] for line in told[5].splitlines()[1:]} == {"gone", "ask2", "fine"}
    assert "900101-1234568" not in told[5]
    audited = {each["run_id"]: each for each in map(json.loads, told[6].splitlines())}
    assert audited.keys() == {"gone", "ask3"}
    rejected, cancelled = audited["ask3"], audited["gone"]
    assert (rejected["by"], rejected["decision"]["message"]) == (os_user(), "not today")
    assert (cancelled["decision"]["type"], cancelled["by"]) == ("cancel", os_user())

    (tmp_path / "quiet").mkdir()
    (tmp_path / "quiet" / "platform.yaml").write_text("record_text: false\n", encoding="utf-8")
    for command in ("runs", "waiting", "audit", "runs stuck"):
        quiet = invoke(*command.split(), "--config", tmp_path / "quiet").stdout
        assert "hour" not in quiet
        assert "rabbit" not in quiet


def _leave_behind(connection: Connection, run_id: str) -> None:
    """Let a run look as one whose process has ended."""
    connection.execute(update(runs).where(runs.c.run_id == run_id).values(status="running"))
    its = threads.c.thread_id == "t~of~acme"
    connection.execute(update(threads).where(its).values(holder="gone", lease_until=0.0))
