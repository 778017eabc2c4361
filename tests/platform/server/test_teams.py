"""What a token for one team sees of a thread in which several teams were asked: its own part."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import httpx
import pytest
from forms import forms
from server import Guarded
from server_work import packed_answer

from minerva_platform import Handoff, Team
from minerva_platform.testing import EachOnceRouter, StubAgent

TEAMS = ("office", "depot", "desk")
WORDS = {"office": "pay the merger", "depot": "box of the layoffs", "desk": "copy the payslip"}
FILE = {"office": b"CREATE TABLE o (b int)", "depot": b"CREATE TABLE d (b int)", "desk": b"payslip"}
OTHERS = ("run_id", "checkpoint_id", "sha256")
"""Parts of addresses that name what belongs to a team."""


@dataclass(slots=True)
class Shared:
    """A thread in which every team was asked, the ids of each team, and a client for each token."""

    thread_id: str
    ids: dict[str, dict[str, str]]
    clients: dict[str, httpx.Client]

    def told(self, team: str) -> set[str]:
        """Return what nobody but the team may read."""
        return {WORDS[team], *self.ids[team].values()}


def ask(client: httpx.Client, thread_id: str, team: str, **given: Any) -> httpx.Response:
    """Ask a team in a thread, and wait."""
    body = {"assistant_id": team, "input": {"request": WORDS[team], **given}}
    return client.post(f"/threads/{thread_id}/runs/wait", json=body)


@pytest.fixture(scope="module")
def shared(guarded: Guarded) -> Iterator[Shared]:
    """Give a thread that three teams share. The office waits for a person."""
    scopes: Any = ("read", "run", "approve", "admin")
    clients = {
        team: guarded.client(guarded.token(f"t-{team}", "shared", *scopes, roots=(team,)))
        for team in TEAMS
    }
    clients["all"] = guarded.client(guarded.token("t-all", "shared", *scopes))
    thread_id = clients["all"].post("/threads", json={}).json()["thread_id"]
    ids: dict[str, dict[str, str]] = {}
    for team in TEAMS:
        client, name = clients[team], "a.txt" if team == "desk" else "a.sql"
        file = client.post("/files", params={"name": name}, content=FILE[team]).json()
        values = ask(client, thread_id, team, attachments=[{"sha256": file["sha256"]}]).json()
        ids[team] = {"run_id": values["run_id"], "sha256": file["sha256"]}
        for n, question in enumerate(values.get("__interrupt__", ())):
            ids[team][f"question {n}"] = question["id"]
    yield Shared(thread_id, ids, clients)
    for client in clients.values():
        client.close()


def requests(client: httpx.Client, asker: str, ids: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield a request for each operation of the OpenAPI, in the name of `asker`, with `ids`."""
    run = {"assistant_id": asker, "input": {"request": f"box for {asker}"}}
    decision = {"shown_sha256": "0" * 64, "decision": "approve"}
    approval = {"run_id": ids["run_id"], "decisions": {ids.get("question 0", "x"): decision}}
    bodies: dict[tuple[str, str], Any] = {
        ("patch", "/threads/{thread_id}"): {"metadata": {"asker": asker}},
        ("post", "/approvals"): approval,
    }
    for path, methods in client.get("/openapi.json").json()["paths"].items():
        for method, operation in methods.items():
            its = {**ids, "assistant_id": asker, "checkpoint_id": ids["run_id"], "namespace": asker}
            request: dict[str, Any] = {"method": method, "url": path.format(**its)}
            told = str(operation.get("requestBody", {}))
            if "octet-stream" in told:
                request |= {"content": b"x", "params": {"name": "x.txt"}}
            elif told != "{}":
                body = bodies.get((method, path), {})
                request["json"] = run if "RunBody" in told else body
            yield request | {"extensions": {"path": path}}


@pytest.mark.parametrize(
    ("asker", "owner"),
    forms(
        [("office", "depot"), ("depot", "desk"), ("desk", "office"), ("office", "office")],
        [("desk", "office"), ("office", "office")],
    ),
)
def test_a_team_s_token_gets_nothing_of_another_team(
    shared: Shared, asker: str, owner: str
) -> None:
    """On every route there is: no word, no id, and 404 for an id of another team."""
    client = shared.clients[asker]
    ids = {**shared.ids[owner], "thread_id": shared.thread_id}
    is_own, hidden = asker == owner, set[str]()
    for team in set(TEAMS) - {asker}:
        hidden |= shared.told(team)
    seen: dict[str, int] = {}
    for request in requests(client, asker, ids):
        path = request["extensions"]["path"]
        if is_own and ("cancel" in path or request["method"] == "delete"):
            continue  # what is shared stays for the other tokens
        answer = client.request(**request)
        seen[f"{request['method']} {path}"] = answer.status_code
        sent = set(ids.values()) if not is_own else set[str]()
        found = {each for each in hidden - sent if each in answer.text}
        assert not found, (request, answer.text)
        assert answer.status_code < 500
        if any(f"{{{name}}}" in path for name in OTHERS) or path == "/approvals/{run_id}":
            expected = {404} if not is_own else {200} if "artifacts" not in path else {200, 404}
            assert answer.status_code in expected, (request, answer.text)

    assert len(seen) >= 30
    assert is_own or seen["delete /threads/{thread_id}"] == 403
    assert is_own or seen["post /approvals"] == 404
    own_routes = {"get /threads/{thread_id}", "get /threads/{thread_id}/state", "post /runs/wait"}
    assert {seen[route] for route in own_routes} == {200}


def test_the_shared_thread_is_whole_for_a_token_of_all_teams(shared: Shared) -> None:
    """Nobody has cancelled, decided or erased anything of another team."""
    client = shared.clients["all"]
    runs = client.get(f"/threads/{shared.thread_id}/runs", params={"limit": 1000}).json()
    statuses = {each["run_id"]: each["status"] for each in runs}
    state = client.get(f"/threads/{shared.thread_id}/state/{shared.ids['desk']['run_id']}").json()
    words = [each["content"] for each in state["values"]["messages"] if each["type"] == "human"]

    first = {team: statuses[shared.ids[team]["run_id"]] for team in TEAMS}
    assert first == {"office": "interrupted", "depot": "success", "desk": "success"}
    assert set(WORDS.values()) <= set(words)


def test_no_answer_reaches_a_question_of_another_team(shared: Shared) -> None:
    """By its id, or as the only one that waits; how many wait is not told."""
    address = f"/threads/{shared.thread_id}/runs/wait"
    for resume in ({shared.ids["office"]["question 0"]: "approve"}, "approve"):
        body = {"assistant_id": "depot", "command": {"resume": resume}}
        answer = shared.clients["depot"].post(address, json=body)
        assert answer.status_code in {404, 422}
        assert "0 questions" in answer.text or "unknown_question" in answer.text
        assert shared.ids["office"]["run_id"] not in answer.text


def test_a_file_of_another_team_is_not_attached(shared: Shared) -> None:
    """Though its digest is known, and whoever may ask all teams may attach it."""
    file = [{"sha256": shared.ids["desk"]["sha256"]}]
    thread_id = shared.clients["all"].post("/threads", json={}).json()["thread_id"]
    refused = ask(shared.clients["office"], thread_id, "office", attachments=file)
    taken = ask(shared.clients["all"], thread_id, "desk", attachments=file)

    assert (refused.status_code, refused.json()["error"]) == (422, "unknown_file")
    assert "copied payslip" in taken.json()["answer"]


def test_a_thread_of_other_teams_alone_is_not_there(shared: Shared) -> None:
    """It is neither read nor listed nor erased; who is given its id may ask in it."""
    office, depot = shared.clients["office"], shared.clients["depot"]
    thread_id = office.post("/threads", json={"metadata": {"about": "merger"}}).json()["thread_id"]
    ask(office, thread_id, "office")
    for method, path in (("GET", ""), ("GET", "/runs"), ("GET", "/state"), ("DELETE", "")):
        assert depot.request(method, f"/threads/{thread_id}{path}").status_code == 404
    listed = depot.post("/threads/search", json={"metadata": {"about": "merger"}}).json()
    values = ask(depot, thread_id, "depot").json()
    thread = depot.get(f"/threads/{thread_id}").json()

    assert listed == []
    assert [each["content"] for each in values["messages"]] == [
        WORDS["depot"],
        packed_answer(WORDS["depot"]),
    ]
    assert (thread["status"], thread["interrupts"]) == ("idle", {})


class Names(Handoff):
    """What one team finds, and another wants."""

    kind: ClassVar[str] = "teams.names"
    names: tuple[str, ...] = ()


class Prices(Handoff):
    """What one team finds, and no other declares."""

    kind: ClassVar[str] = "teams.prices"
    prices: tuple[int, ...] = ()


def test_a_run_receives_the_hand_offs_that_its_team_declares(
    guarded: Guarded, shared: Shared
) -> None:
    """Of a turn of another team: no word of it, no file, and no hand-off that is not declared."""
    finder = StubAgent("finder", gives=[Names(names=("PT_NO",)), Prices(prices=(7,))])
    user = StubAgent("user", wants=[Names])
    naming = Team(name="naming", description="…", members=[finder], exports=[Names, Prices])
    coding = Team(name="coding", description="…", members=[user])
    naming.router, coding.router = EachOnceRouter(), EachOnceRouter()
    guarded.served.service.roots.alone |= {"naming": naming.assembled, "coding": coding.assembled}
    token = guarded.token("t-coding", "shared", "read", "run", roots=("coding",))
    thread_id = shared.clients["all"].post("/threads", json={}).json()["thread_id"]

    def say(client: httpx.Client, team: str, words: str) -> dict[str, Any]:
        body = {"assistant_id": team, "input": {"request": words}}
        answer = client.post(f"/threads/{thread_id}/runs/wait", json=body)
        values: dict[str, Any] = answer.json()
        return values

    words = "find the secret abbreviation of patient_number"
    sent = say(shared.clients["all"], "naming", words)["all_handoffs"]
    state = shared.clients["all"].get(f"/threads/{thread_id}/state").json()
    with guarded.client(token) as client:
        values = say(client, "coding", "which code uses it?")

    assert sent["teams.prices"] == [
        {"sender": "naming/finder", "version": 1, "payload": {"prices": [7]}}
    ]
    assert state["values"]["all_handoffs"] == sent
    (given,) = user.calls
    assert given.teams_names == Names(names=("PT_NO",)), given
    assert given.request == "which code uses it?"
    assert "secret" not in str(values)
    assert values["notices"] == []
