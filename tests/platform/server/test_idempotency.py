"""A request that is sent again with its `Idempotency-Key` is done once."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from server import Guarded, ServerProcess
from server_work import packed

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team, ask_approval
from minerva_platform.testing import EachOnceRouter

BOX = {"assistant_id": "depot", "input": {"request": "a box with a key"}}


def sent(client: httpx.Client, path: str, body: Any, key: str) -> httpx.Response:
    """Send a request with a key."""
    return client.post(path, json=body, headers={"Idempotency-Key": key})


def test_every_route_that_begins_a_run_takes_a_key(guarded: Guarded) -> None:
    """As the OpenAPI describes them; each gives the first run again, in its own form."""
    token = guarded.token("key-all", "keys", "read", "run")
    with guarded.client(token) as client:
        found = {
            path: {each["name"] for each in methods["post"]["parameters"]}
            for path, methods in client.get("/openapi.json").json()["paths"].items()
            if "RunBody" in str(methods.get("post", {}).get("requestBody"))
        }
        thread_id = client.post("/threads", json={}).json()["thread_id"]
        told = {
            path: [sent(client, path.format(thread_id=thread_id), BOX, path) for _ in range(2)]
            for path in found
        }
        runs = client.get(f"/threads/{thread_id}/runs", params={"limit": 100}).json()

    assert len(found) == 6
    assert {"Idempotency-Key" in names for names in found.values()} == {True}
    assert len(runs) == 3
    for first, again in told.values():
        assert first.headers["content-location"] == again.headers["content-location"]


def test_a_key_outlives_its_server(tmp_path: Path) -> None:
    """The same request after a kill is the first run; another one with the key is refused."""
    told: list[httpx.Response] = []
    for _ in range(2):
        server = ServerProcess(tmp_path)
        with httpx.Client(base_url=server.url, timeout=60) as client:
            told.append(sent(client, "/runs/wait", BOX, "one"))
        server.close()

    first, again = (answer.json() for answer in told)
    assert (first["status"], first["run_id"]) == ("ok", again["run_id"])
    assert first["messages"] == again["messages"]
    assert set(packed(tmp_path).values()) == {1}


def test_a_key_is_its_sender_s(guarded: Guarded) -> None:
    """Another tenant, and a token of one team, begin runs of their own with the same key."""
    tokens = [
        guarded.token("key-ann", "acme", "read", "run"),
        guarded.token("key-bob", "globex", "read", "run"),
        guarded.token("key-depot", "acme", "read", "run", roots=("depot",)),
        guarded.token("key-cid", "acme", "read", "run"),
    ]
    ids: list[str] = []
    for token in tokens:
        with guarded.client(token) as client:
            ids.append(sent(client, "/runs/wait", BOX, "shared").json()["run_id"])

    assert len(set(ids[:3])) == 3
    assert ids[3] == ids[0]


class Payer(BaseAgent[AgentInput, AgentOutput]):
    """A worker that asks before it pays, and counts what it paid."""

    name = "payer"
    description = "Pays."
    paid = 0

    def work(self, given: AgentInput) -> AgentOutput:
        """Ask, and pay."""
        assert given.request == "pay"
        decided = ask_approval("Pay Kim 1?", tool="pay", arguments={"to": "Kim", "amount": 1})
        self.paid += 1
        return AgentOutput(summary=f"paid {decided['to']}")


@pytest.mark.parametrize(
    "answer", [{"input": {"request": "yes"}}, {"command": {"resume": {"type": "approve"}}}]
)
def test_an_answer_with_a_key_counts_once(guarded: Guarded, answer: dict[str, Any]) -> None:
    """A plain word, and a decision that names no question: sent again, they begin nothing."""
    payer = Payer()
    till = Team(name="till", description="…", members=(payer,), router=EachOnceRouter())
    guarded.served.service.roots.alone["till"] = till.assembled
    token = guarded.token(f"key-{next(iter(answer))}", "answers", "read", "run", "approve")
    with guarded.client(token) as client:
        thread_id = client.post("/threads", json={}).json()["thread_id"]
        path = f"/threads/{thread_id}/runs/wait"
        asked = client.post(path, json={"assistant_id": "till", "input": {"request": "pay"}}).json()
        body = {"assistant_id": "till", **answer}
        answers = [sent(client, path, body, "the-answer").json() for _ in range(2)]
        other = {"assistant_id": "till", "command": {"resume": {"type": "reject"}}}
        refused = sent(client, path, other, "the-answer")
        runs = client.get(f"/threads/{thread_id}/runs").json()

    assert [each["answer"] for each in answers] == ["paid Kim"] * 2
    assert [each["run_id"] for each in runs] == [asked["run_id"]]
    assert (refused.status_code, refused.json()["error"]) == (422, "key_reused")
    assert payer.paid == 1


def test_what_is_no_key_is_refused(guarded: Guarded) -> None:
    """Empty, with a space, too long."""
    with guarded.client(guarded.token("key-bad", "keys", "run")) as client:
        answers = [sent(client, "/runs", BOX, key) for key in ("", "a b", "x" * 300)]

    assert {answer.status_code for answer in answers} == {422}
