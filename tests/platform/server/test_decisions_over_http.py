"""Decisions over HTTP: checked, bound to what was shown, settled in time, one winner."""

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import httpx
import pytest
from changing import KIM, MALLORY, SHAPES, WRONG_EDITS, Desk, deed, now
from server import Served, Wanted, serving
from sqlalchemy import text

from minerva_platform.storage.maintenance.restored import mark_restored, remove_mark


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """Give what the worker asks."""
    return Desk(tmp_path_factory.mktemp("desk"))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, desk: Desk) -> Generator[Served]:
    """Give a server over a team whose worker asks what a file says."""
    team = SHAPES["worker"](desk)
    team.name = "clerks"
    with serving(Wanted(tmp_path_factory.mktemp("home"), teams=(team,))) as server:
        yield server


@pytest.fixture
def http(served: Served, desk: Desk) -> Generator[httpx.Client]:
    """Give a client; nothing is done yet."""
    (desk.folder / "done").unlink(missing_ok=True)
    with httpx.Client(base_url=served.url, timeout=60) as client:
        yield client


class Waiting:
    """A run that waits, and what it asks."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http
        self.thread = http.post("/threads", json={}).json()["thread_id"]
        body = {"assistant_id": "clerks", "input": {"request": "pay"}}
        values = http.post(f"/threads/{self.thread}/runs/wait", json=body).json()
        self.run: str = values["run_id"]

    @property
    def asked(self) -> list[dict[str, Any]]:
        """What is open."""
        found: list[dict[str, Any]] = self.http.get(f"/approvals/{self.run}").json()["open"]
        return found

    def decides(self, decision: Any, question: dict[str, Any] | None = None, **more: Any) -> Any:
        """Decide as somebody who saw the question."""
        question = question or self.asked[0]
        given = {"shown_sha256": question["shown_sha256"], "decision": decision}
        body = {"run_id": self.run, "decisions": {question["id"]: given}, **more}
        return self.http.post("/approvals", json=body)

    def resumes(self, decision: Any) -> Any:
        """Decide as LangGraph's clients do."""
        body = {"assistant_id": "clerks", "command": {"resume": decision}}
        return self.http.post(f"/threads/{self.thread}/runs", json=body)

    def cancels(self, **query: Any) -> Any:
        """Cancel it."""
        return self.http.post(f"/threads/{self.thread}/runs/{self.run}/cancel", params=query)

    def rest(self) -> str:
        """Wait until it is over or asks again; return its status."""
        self.http.get(f"/threads/{self.thread}/runs/{self.run}/join")
        status: str = self.http.get(f"/threads/{self.thread}/runs/{self.run}").json()["status"]
        return status


def edit(args: Any) -> dict[str, Any]:
    """Return an edit of the payment."""
    return {"type": "edit", "edited_action": {"name": "pay", "args": args}}


@pytest.mark.small(1)
@pytest.mark.parametrize("door", ["approvals", "command"])
def test_a_wrong_edit_is_refused_by_field_and_nothing_is_spent(
    http: httpx.Client, desk: Desk, door: str
) -> None:
    """By the route of approvals and by LangGraph's command; the question stays open."""
    desk.asks(now(KIM, arguments=WRONG_EDITS.arguments))
    waiting = Waiting(http)
    give = waiting.decides if door == "approvals" else waiting.resumes
    for args, field in WRONG_EDITS.wrong:
        refused = give(edit(args))
        assert (refused.status_code, refused.json()["error"]) == (422, "invalid_decision")
        assert field in refused.json()["detail"], refused.text
    assert [len(waiting.asked), desk.done] == [1, []]

    right = {**WRONG_EDITS.arguments, "amount": 7}
    assert give(edit(right)).status_code == 200
    waiting.rest()
    assert desk.done == [["pay", right]]


def test_another_decision_under_the_id_of_a_batch_is_refused(
    http: httpx.Client, desk: Desk
) -> None:
    """The same one is the same answer; nothing is done twice."""
    desk.asks(KIM)
    waiting = Waiting(http)
    (question,) = waiting.asked
    give = partial(waiting.decides, question=question, batch_id="b1")
    codes = [give(each).status_code for each in ("approve", "approve", "reject", edit(MALLORY))]
    assert codes == [200, 200, 409, 409]
    refused = give("reject").json()
    assert (refused["error"], refused["winners"][question["id"]]["type"]) == (
        "already_decided",
        "approve",
    )
    waiting.rest()
    assert desk.done == [deed(KIM)]


def test_what_has_changed_is_asked_anew_and_shown_beside_it(http: httpx.Client, desk: Desk) -> None:
    """As JSON, in the approvals and in the state of the thread."""
    desk.asks(KIM)
    waiting = Waiting(http)
    desk.asks(now(KIM, arguments=MALLORY))
    assert waiting.decides("approve").status_code == 200
    assert waiting.rest() == "interrupted"
    (again,) = waiting.asked
    assert (again["arguments"], again["earlier"]["arguments"]) == (MALLORY, KIM["arguments"])
    assert desk.done == []
    waiting.decides("approve")
    waiting.rest()
    assert desk.done == [["pay", MALLORY]]


def test_an_expired_question_is_settled_by_the_server_and_never_looks_open(
    http: httpx.Client, served: Served, desk: Desk
) -> None:
    """Nobody commands it; whoever decides then is told."""
    desk.asks(now(KIM, expires_in=3600))
    waiting = Waiting(http)
    (question,) = waiting.asked
    late = text("UPDATE interrupts SET expires_at = asked WHERE run_id = :run")
    served.service.engine.write(lambda c: c.execute(late, {"run": waiting.run}))
    assert waiting.asked == []
    assert [each for each in http.get("/approvals").json() if each["run_id"] == waiting.run] == []
    refused = waiting.decides("approve", question)
    assert (refused.status_code, refused.json()["error"]) == (409, "expired")
    waiting.rest()
    told = http.get(f"/approvals/{waiting.run}").json()
    assert [each["by"] for each in told["decided"]] == ["expiry"]
    assert desk.done == []


def race(waiting: Waiting) -> None:
    """Approve and cancel at once: one of both is told that the other one came first."""
    (question,) = waiting.asked
    with ThreadPoolExecutor(2) as pool:
        approved = pool.submit(waiting.decides, "approve", question)
        cancelled = pool.submit(waiting.cancels)
    codes = approved.result().status_code, cancelled.result().status_code
    ended = waiting.rest()
    if codes[0] == 200:
        # a run that was over before it could be cancelled tells that instead
        assert codes[1] == 409, codes
        assert ended == "success"
    else:
        assert codes == (409, 202)
        assert "cancelled" in approved.result().text
        assert ended == "interrupted"


@pytest.mark.parametrize("number", range(3))
def test_of_approve_and_cancel_one_wins_and_the_other_is_told(
    http: httpx.Client, desk: Desk, number: int
) -> None:
    """What was approved is done once; what was cancelled is never done."""
    desk.asks(now(KIM, arguments={"to": "Kim", "amount": number}))
    waiting = Waiting(http)
    race(waiting)
    status = http.get(f"/threads/{waiting.thread}/runs/{waiting.run}").json()["status"]
    assert desk.done == ([["pay", {"to": "Kim", "amount": number}]] if status == "success" else [])


def test_an_answer_to_a_wrong_id_decides_nothing(http: httpx.Client, desk: Desk) -> None:
    """404; the question waits on."""
    desk.asks(KIM)
    waiting, other = Waiting(http), Waiting(http)
    refused = waiting.decides("approve", other.asked[0])
    assert (refused.status_code, refused.json()["error"]) == (404, "unknown_interrupt")
    assert other.run in refused.json()["detail"]
    assert [len(each.asked) for each in (waiting, other)] == [1, 1]
    assert desk.done == []


def test_no_door_takes_a_decision_in_a_restored_copy(
    http: httpx.Client, desk: Desk, served: Served
) -> None:
    """Not approvals, not the command, not a plain yes; none offers the question meanwhile."""
    desk.asks(KIM)
    waiting = Waiting(http)
    (question,) = waiting.asked
    served.service.engine.write(mark_restored)
    yes = {"assistant_id": "clerks", "input": {"request": "yes"}}
    refusals = (
        waiting.decides("approve", question),
        waiting.resumes("approve"),
        http.post(f"/threads/{waiting.thread}/runs", json=yes),
    )
    its = f"/threads/{waiting.thread}"
    follows = [http.get(f"{its}/runs/{waiting.run}/{door}") for door in ("join", "stream")]
    told = [(each.status_code, each.json()["error"]) for each in (*refusals, *follows)]
    doors = ["/approvals", f"/approvals/{waiting.run}", its, f"{its}/state", f"{its}/history"]
    shown = [http.get(door).text for door in doors]
    served.service.engine.write(remove_mark)

    assert told == [(409, "restored_copy")] * 5
    assert "minerva doctor --this-is-the-store" in refusals[0].json()["detail"]
    assert [question["id"] in each for each in shown] == [False] * 5
    assert (waiting.asked, desk.done) == ([question], [])
    assert waiting.decides("approve", question).status_code == 200
    waiting.rest()
    assert [name for name, _ in desk.done] == ["pay"]


@pytest.mark.small(2)
@pytest.mark.parametrize(
    ("door", "given"),
    [
        ("command", "네, 부탁드립니다"),
        ("command", {"decisions": [{"type": "respond", "message": "yes, please"}]}),
        ("approvals", {"type": "respond", "value": "yes"}),
    ],
)
def test_an_answer_is_read_by_its_declared_type(
    http: httpx.Client, desk: Desk, door: str, given: Any
) -> None:
    """As a person writes it, and in LangChain's form."""
    desk.asks(now(KIM, kind="person"))
    waiting = Waiting(http)
    asked = waiting.asked[0]["value"]["action_requests"][0]
    give = waiting.decides if door == "approvals" else waiting.resumes

    assert asked["description"] == KIM["text"]
    assert give(given).status_code == 200
    waiting.rest()
    assert desk.done == [["pay", {"to": "Kim", "amount": 100}]]
