"""Who may what: tokens, tenants, scopes, and what is refused before anybody reads it."""

import asyncio
import gzip
import json
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from ledger import Store
from server import Guarded, Served, Wanted, serving
from server_work import packed_answer

from minerva_platform.config.settings import Settings
from minerva_platform.errors import SettingsError
from minerva_platform.server.middleware import MAX_DEPTH, REQUESTS
from minerva_platform.server.rate_limit import Rate
from minerva_platform.storage.engine.location import PostgresPlace
from minerva_platform.storage.server.tokens import revoke_token

BOX = {"assistant_id": "depot", "input": {"request": "box"}}
ASK = {"assistant_id": "office", "input": {"request": "do it"}}
OTHERS = {"thread_id", "run_id", "checkpoint_id", "sha256"}
"""Parts of addresses that name what belongs to a tenant."""


@pytest.fixture(scope="module")
def ann(guarded: Guarded) -> Iterator[httpx.Client]:
    """Give a person of one tenant."""
    with guarded.client(guarded.token("ann", "acme", "admin")) as client:
        yield client


@pytest.fixture(scope="module")
def bob(guarded: Guarded) -> Iterator[httpx.Client]:
    """Give a person of another tenant."""
    with guarded.client(guarded.token("bob", "globex", "admin")) as client:
        yield client


def asked(client: httpx.Client) -> dict[str, str]:
    """Let a run wait for a person, and return its ids."""
    thread = client.post("/threads", json={}).json()["thread_id"]
    values = client.post(f"/threads/{thread}/runs/wait", json=ASK).json()
    its = {"thread_id": thread, "run_id": values["run_id"], "checkpoint_id": values["run_id"]}
    file = client.post("/files", params={"name": "a.sql"}, content=b"CREATE TABLE a (b int)")
    return {**its, "sha256": file.json()["sha256"]}


def routes(client: httpx.Client) -> list[tuple[str, str, dict[str, Any]]]:
    """Return each route of the OpenAPI with an id of a thread or a run: method, path, body."""
    bodies: dict[str, Any] = {
        "/threads/{thread_id}/runs": BOX,
        "/threads/{thread_id}/runs/wait": BOX,
        "/threads/{thread_id}/runs/stream": BOX,
        "/threads/{thread_id}/history": {},
        "/threads/{thread_id}/state/checkpoint": {},
    }
    found: list[tuple[str, str, dict[str, Any]]] = []
    for path, methods in client.get("/openapi.json").json()["paths"].items():
        if any(f"{{{name}}}" in path for name in OTHERS):
            for method in methods:
                body = {"metadata": {}} if method == "patch" else bodies.get(path, {})
                found.append((method, path, body))
    return found


NOBODYS = {"thread_id": "5" * 32, "run_id": "6" * 32, "checkpoint_id": "6" * 32}
NOBODYS["sha256"] = "7" * 64
RUN = {**BOX, "if_not_exists": "create"}
YES = {"assistant_id": "office", "command": {"resume": "approve"}}
DECISION = {"x": {"shown_sha256": "0" * 64, "decision": "approve"}}
ATTACHED = {"request": "box", "attachments": [{"sha256": "{sha256}"}]}
DOORS: dict[str, tuple[str, Any]] = {
    "its runs": ("/threads/{thread_id}/runs/wait", BOX | {"if_not_exists": "reject"}),
    "an answer": ("/threads/{thread_id}/runs/wait", YES),
    "a decision": ("/approvals", {"run_id": "{run_id}", "decisions": DECISION}),
    "a search": ("/threads/search", {"ids": ["{thread_id}"]}),
    "a file": ("/runs", {"assistant_id": "desk", "input": ATTACHED}),
    "a key": ("/runs/wait", BOX),
    "a new thread": ("/threads", {"thread_id": "{thread_id}"}),
    "the same again": ("/threads", {"thread_id": "{thread_id}"}),
    "or not": ("/threads", {"thread_id": "{thread_id}", "if_exists": "do_nothing"}),
    "a run in it": ("/threads/{thread_id}/runs/wait", RUN),
    "a stream": ("/threads/{thread_id}/runs/stream", RUN),
}
"""What a client may send with an id of its choice. Each comes after the one before."""


RANDOM = re.compile(
    r'\b[0-9a-f]{32,64}\b|[0-9a-f]{12}(?=…)|\d{4}-\d\d-\d\dT[\d:.+]+|(?<="ms":|"at":)[\d.]+'
)
"""Ids, digests, and times."""


def without_ids(answer: httpx.Response, ids: dict[str, str]) -> tuple[int, dict[str, str], str]:
    """Return an answer but for what differs each time."""

    def plain(text: str) -> str:
        for name, value in ids.items():
            text = text.replace(value, name)
        return RANDOM.sub("?", text)

    varies = {"date", "content-length"} if answer.is_success else {"date"}  # times have lengths
    headers = {name: plain(value) for name, value in answer.headers.items() if name not in varies}
    return answer.status_code, headers, plain(answer.text)


@pytest.fixture(scope="module")
def told_apart(ann: httpx.Client, bob: httpx.Client) -> Any:
    """Give what says how the answers about another tenant's ids and nobody's look."""
    ids = asked(ann)
    ann.post("/runs/wait", json=BOX, headers={"Idempotency-Key": ids["run_id"]})

    def look(method: str, path: str, body: Any) -> list[Any]:
        answers: list[Any] = []
        for its in (ids, NOBODYS):
            told = json.dumps(body)
            for name, value in its.items():
                told = told.replace(f"{{{name}}}", value)
            sent = None if method == "get" else json.loads(told)
            key = {"Idempotency-Key": its["run_id"]}
            answer = bob.request(method, path.format(**its), json=sent, headers=key)
            answers.append(without_ids(answer, its))
        return answers

    yield look
    assert ann.get(f"/threads/{ids['thread_id']}").json()["status"] == "interrupted"
    assert bob.get("/approvals").json() == []


@pytest.mark.slow
def test_another_tenant_s_ids_are_nowhere(ann: httpx.Client, told_apart: Any) -> None:
    """On every route: whether an id exists is nobody else's business."""
    found = routes(ann)
    answers = [told_apart(*each) for each in found]

    assert len(found) >= 15
    assert [each[0] for each in answers] == [each[1] for each in answers]
    assert {theirs[0] for theirs, _ in answers} == {404}


@pytest.mark.parametrize("door", DOORS)
def test_a_client_s_id_says_nothing_of_other_tenants(told_apart: Any, door: str) -> None:
    """Status, headers and body are those for an id that nobody has; both threads may be made."""
    theirs, nobodys = told_apart("post", *DOORS[door])

    assert theirs == nobodys


RACES: dict[str, tuple[str, Any]] = {
    "a thread": ("/threads", {"thread_id": "{}", "metadata": {"of": "?"}}),
    "the same again": ("/threads", {"thread_id": "{}", "if_exists": "do_nothing"}),
    "a run": ("/threads/{}/runs", RUN),
}


@pytest.mark.small(databases=1)
async def test_of_two_tenants_that_make_one_id_at_once_each_has_its_own(
    store: Store, tmp_path: Path
) -> None:
    """A thread, or a run in it: both are answered as if nobody else were there."""
    url = store.place.url if isinstance(store.place, PostgresPlace) else None
    with serving(Wanted(tmp_path, url=url, needs_token=True, at_once=0)) as served:
        guarded = Guarded(served)
        tokens = [guarded.token(name, name, "admin") for name in ("acme", "globex")]
        headers = [{"X-Api-Key": token} for token in tokens]
        async with httpx.AsyncClient(base_url=served.url, timeout=60) as client:

            async def post(path: str, body: Any, thread: str, whose: Any) -> tuple[int, str]:
                told = json.loads(json.dumps(body).replace("{}", thread))
                got = await client.post(path.format(thread), json=told, headers=whose)
                return got.status_code, got.json().get("thread_id", got.text)

            for door, (path, body) in RACES.items():
                names = [f"{door.replace(' ', '-')}-{number}" for number in range(5)]
                pairs = [(name, whose) for name in names for whose in headers]
                got = await asyncio.gather(*(post(path, body, *pair) for pair in pairs))
                assert got == [(200, name) for name, _ in pairs]
            for whose in headers:
                search = {"limit": 100}
                found = await client.post("/threads/search", json=search, headers=whose)
                ids = [each["thread_id"] for each in found.json()]
                assert (len(ids), len(set(ids))) == (15, 15)
                its_runs = await client.get("/threads/a-run-0/runs", headers=whose)
                assert len(its_runs.json()) == 1


NEEDS = {
    "read": ("get", "/threads/{thread_id}", None),
    "run": ("post", "/threads/{thread_id}/runs", BOX),
    "approve": ("get", "/approvals", None),
    "admin": ("get", "/metrics", None),
}


@pytest.mark.parametrize("scope", NEEDS)
def test_a_token_opens_what_its_scope_says(guarded: Guarded, ann: httpx.Client, scope: Any) -> None:
    """And nothing else; the administrator's opens all."""
    thread = ann.post("/threads", json={}).json()["thread_id"]
    with guarded.client(guarded.token(f"only-{scope}", "acme", scope)) as client:
        got = {
            name: client.request(method, path.format(thread_id=thread), json=body).status_code
            for name, (method, path, body) in NEEDS.items()
        }

    expected = {name: 200 if scope in {name, "admin"} else 403 for name in NEEDS}
    assert got == expected


def test_an_answer_needs_the_scope_approve(guarded: Guarded, ann: httpx.Client) -> None:
    """By `command.resume`, and by a plain yes in the thread, as by /approvals."""
    ids = asked(ann)
    with guarded.client(guarded.token("asker", "acme", "read", "run")) as client:
        resume = {"assistant_id": "office", "command": {"resume": {"x": "approve"}}}
        answer = client.post(f"/threads/{ids['thread_id']}/runs/wait", json=resume)

    assert answer.status_code in {403, 404}
    assert ann.get(f"/threads/{ids['thread_id']}").json()["status"] == "interrupted"


def test_a_token_may_be_for_one_team_alone(guarded: Guarded) -> None:
    """Others are refused, and are not listed."""
    token = guarded.token("depot-only", "acme", "read", "run", roots=("depot",))
    with guarded.client(token) as client:
        names = [each["name"] for each in client.post("/assistants/search", json={}).json()]
        refused = client.post("/runs", json=ASK)
        taken = client.post("/runs/wait", json=BOX)

    assert names == ["depot"]
    assert (refused.status_code, refused.json()["error"]) == (403, "missing_scope")
    assert taken.json()["answer"] == packed_answer("box")


def test_without_a_valid_token_there_is_nothing(guarded: Guarded) -> None:
    """None, an unknown one, an expired one and a revoked one; health is for everybody."""
    token = guarded.token("gone", "acme", "read")
    with guarded.client(None) as client:
        for headers in ({}, {"X-Api-Key": "x"}, {"Authorization": "Bearer x"}):
            answer = client.post("/threads/search", json={}, headers=headers)
            assert (answer.status_code, answer.json()["error"]) == (401, "no_token")
            assert answer.headers["www-authenticate"] == "Bearer"
        assert client.get("/ok").json() == {"ok": True}
        assert client.get("/ready").json() == {"ready": True}
        bearer = {"Authorization": f"Bearer {token}"}
        assert client.post("/threads/search", json={}, headers=bearer).status_code == 200


def test_each_request_is_logged_by_its_token_s_name(
    guarded: Guarded, ann: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    """With its tenant, its end and its duration; never with the token or what was searched for."""
    caplog.set_level("INFO", logger=REQUESTS)
    ann.get("/threads/none/state?secret=words")
    ann.get("/threads/none%0AGET/state")
    httpx.get(f"{guarded.served.url}/approvals")
    httpx.get(f"{guarded.served.url}/ok")
    lines = [record.getMessage() for record in caplog.records if record.name == REQUESTS]

    shape = re.sub(r"[0-9.]+ ms", "N ms", "\n".join(lines))
    assert shape == (
        "GET /threads/none/state: 404 in N ms, asked by ann of acme\n"
        "GET /threads/none%0AGET/state: 422 in N ms, asked by nobody\n"
        "GET /approvals: 401 in N ms, asked by nobody"
    )


def test_a_revoked_token_ends_its_open_streams(guarded: Guarded) -> None:
    """Within ten seconds; the run goes on."""
    (guarded.served.service.app.home / "hold-packer").touch()
    token = guarded.token("leaver", "acme", "read", "run")
    with guarded.client(token) as client, client.stream("POST", "/runs/stream", json=BOX) as stream:
        lines = stream.iter_lines()
        next(lines)
        engine = guarded.served.service.engine
        engine.write(lambda connection: revoke_token(connection, "leaver", time.time()))
        rest = list(lines)

    assert "no_token" in "".join(rest)


def test_four_eyes_let_nobody_decide_their_own_request(guarded: Guarded, ann: httpx.Client) -> None:
    """If the platform is configured so, somebody else decides."""
    service = guarded.served.service
    file = service.app.home / "configs" / "platform.yaml"
    ids = asked(ann)
    file.write_text('{"approvals": {"four_eyes": true}}', encoding="utf-8")
    try:
        (first, *_) = ann.get("/approvals").json()
        question = first["question"]
        decision = {"type": "respond", "value": "A"}
        shown = {"shown_sha256": question["shown_sha256"], "decision": decision}
        body = {"run_id": first["run_id"], "decisions": {question["id"]: shown}}
        own = ann.post("/approvals", json=body)
        with guarded.client(guarded.token("carl", "acme", "read", "approve")) as carl:
            other = carl.post("/approvals", json=body)
    finally:
        file.write_text("{}", encoding="utf-8")

    assert (own.status_code, own.json()["error"]) == (403, "four_eyes")
    assert other.status_code == 200
    assert ids["run_id"] is not None


def test_decisions_are_kept_for_audits(ann: httpx.Client) -> None:
    """Who, when, and the digest of what was shown."""
    ids = asked(ann)
    asked_now = ann.get(f"/approvals/{ids['run_id']}").json()["open"]
    shown = {
        each["id"]: {
            "shown_sha256": each["shown_sha256"],
            "decision": {"type": "respond", "value": "A"},
        }
        for each in asked_now
    }
    body = {"run_id": ids["run_id"], "decisions": shown, "batch_id": "one"}
    stale = {name: {**each, "shown_sha256": "0" * 64} for name, each in shown.items()}
    refused = ann.post("/approvals", json={**body, "decisions": stale})
    ann.post("/approvals", json=body)
    again = ann.post("/approvals", json=body)
    late = ann.post("/approvals", json={**body, "batch_id": "two"})
    decided = ann.get(f"/approvals/{ids['run_id']}").json()["decided"]

    assert (refused.status_code, refused.json()["error"]) == (409, "stale")
    assert again.status_code == 200
    assert (late.status_code, late.json()["error"]) == (409, "already_decided")
    assert {each["by"] for each in late.json()["winners"].values()} == {"ann"}
    assert {(each["interrupt_id"], each["by"], each["shown_sha256"]) for each in decided} == {
        (each["id"], "ann", each["shown_sha256"]) for each in asked_now
    }


# What is refused before anybody reads it


def test_another_host_or_site_is_refused(served: Served) -> None:
    """A page of another site reaches no server on this machine, under whatever name."""
    with httpx.Client(base_url=served.url, timeout=60) as client:
        rebound = client.get("/ok", headers={"Host": "evil.example"})
        crossed = client.post("/runs", json=BOX, headers={"Origin": "http://evil.example"})
        own = client.get("/ok", headers={"Origin": served.url})

    assert (rebound.status_code, rebound.json()["error"]) == (421, "unknown_host")
    assert (crossed.status_code, crossed.json()["error"]) == (403, "other_site")
    assert own.status_code == 200


def test_pages_of_a_named_site_may_call(tmp_path: Path) -> None:
    """They read what is refused, too. Others are refused as ever."""
    site, other = {"Origin": "https://app.example"}, {"Origin": "https://app.example.evil"}
    asks = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type,idempotency-key,last-event-id,x-api-key",
    }
    settings = {"server": {"cors_origins": ["HTTPS://app.example:443"], "requests_per_second": 0.2}}
    with (
        serving(Wanted(tmp_path, needs_token=True, settings=settings)) as server,
        httpx.Client(base_url=server.url, timeout=60) as client,
    ):
        key = {"X-Api-Key": Guarded(server).token("ann", "t", "read")}
        before = client.options("/runs", headers={**site, **asks})
        bare = client.get("/agents", headers=site)
        seen = client.get("/agents", headers={**site, **key})
        answers = [client.get("/agents", headers={**site, **key}) for _ in range(2)]
        refused = [client.get("/ok", headers=other), client.options("/ok", headers=other | asks)]

    assert (before.status_code, bare.status_code, seen.status_code) == (200, 401, 200)
    assert {each.status_code for each in answers} >= {429}
    for each in (before, bare, seen, *answers):
        assert each.headers["access-control-allow-origin"] == "https://app.example"
        assert "access-control-allow-credentials" not in each.headers
    assert "Retry-After" in answers[-1].headers["access-control-expose-headers"]
    assert "idempotency-key" in before.headers["access-control-allow-headers"].lower()
    assert [each.json()["error"] for each in refused] == ["other_site", "other_site"]
    assert "access-control-allow-origin" not in {**refused[0].headers, **refused[1].headers}


@pytest.mark.parametrize(
    "origin", ["*", "https://*.a", "app.example", "https://a/", "null", "ftp://a"]
)
def test_what_is_no_origin_is_refused_by_its_line(tmp_path: Path, origin: str) -> None:
    """With what one looks like."""
    (tmp_path / "platform.yaml").write_text(f"server:\n  cors_origins:\n    - '{origin}'\n")

    with pytest.raises(SettingsError, match=r"platform\.yaml:3.*https://app\.example"):
        _ = Settings(tmp_path).platform


def test_hostile_bodies_are_refused(served: Served) -> None:
    """Too large, too deep, packed, and no JSON at all."""
    deep = b"[" * 10_000 + b"]" * 10_000
    bomb = gzip.compress(b"0" * 50_000_000)
    with httpx.Client(base_url=served.url, timeout=60) as client:
        got = {
            "large": client.post("/runs", content=(b" " * 65_536 for _ in range(200))),
            "deep": client.post("/runs", content=deep),
            "bomb": client.post("/runs", content=bomb, headers={"Content-Encoding": "gzip"}),
            "text": client.post(
                "/runs", content=b"{", headers={"Content-Type": "application/json"}
            ),
        }

    statuses = {name: (each.status_code, each.json()["error"]) for name, each in got.items()}
    assert statuses == {
        "large": (413, "body_too_large"),
        "deep": (422, "too_deep"),
        "bomb": (415, "encoded_body"),
        "text": (422, "invalid_request"),
    }


def test_a_declared_size_is_believed(served: Served) -> None:
    """A hundred megabytes are refused before the first one arrives."""
    host, port = served.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        head = f"POST /runs HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 104857600\r\n\r\n"
        connection.sendall(head.encode())
        answer = connection.recv(65_536)

    assert answer.startswith(b"HTTP/1.1 413 ")


def test_nesting_inside_a_text_is_no_depth(served: Served) -> None:
    """Brackets in words are words."""
    words = '["\\"' * (MAX_DEPTH * 2)
    body = {"assistant_id": "depot", "input": {"request": words}}
    with httpx.Client(base_url=served.url, timeout=60) as client:
        answer = client.post("/runs/wait", json=body)

    assert answer.json()["status"] == "ok"


def test_too_many_requests_wait() -> None:
    """Ten seconds' worth may come at once, then as many as the time allows; each caller apart."""
    now = [0.0]
    rate = Rate(2.0, monotonic=lambda: now[0])
    at_once = [rate.wait_of("ann") for _ in range(21)]
    now[0] = 0.5

    assert at_once == [0.0] * 20 + [0.5]
    assert [rate.wait_of("ann"), rate.wait_of("ann"), rate.wait_of("bob")] == [0.0, 0.5, 0.0]


async def test_half_open_connections_are_dropped(tmp_path: Path) -> None:
    """Three hundred clients that send half a head hold nothing, and nobody else waits for them."""
    with serving(Wanted(tmp_path, head_seconds=0.5)) as served:
        host, port = served.url.removeprefix("http://").split(":")
        opened = [await asyncio.open_connection(host, int(port)) for _ in range(300)]
        for _, writer in opened:
            writer.write(b"GET /ok HTTP/1.1\r\nHost: ")
        async with httpx.AsyncClient(base_url=served.url, timeout=60) as client:
            assert (await client.get("/ok")).status_code == 200
        ends = await asyncio.gather(*(reader.read() for reader, _ in opened))
        for _, writer in opened:
            writer.close()

    assert set(ends) == {b""}


def test_unknown_addresses_and_what_is_not_served_are_problems(served: Served) -> None:
    """With a short name for programs, and a sentence for people."""
    with httpx.Client(base_url=served.url, timeout=60) as client:
        got: dict[str, Any] = {
            path: client.request(method, path, json=body).json()
            for method, path, body in (
                ("GET", "/nothing", None),
                ("DELETE", "/threads/search", None),
                ("POST", "/threads/x/copy", {}),
                ("PUT", "/store/items", {}),
                ("POST", "/runs/crons", {}),
                ("GET", "/assistants/nobody", None),
                ("POST", "/threads", {"thread_id": "../../etc"}),
                ("POST", "/threads/search", {"sort_by": "x"}),
            )
        }

    assert {path: each["error"] for path, each in got.items()} == {
        "/nothing": "no_such_address",
        "/threads/search": "invalid_request",
        "/threads/x/copy": "not_served",
        "/store/items": "not_served",
        "/runs/crons": "not_served",
        "/assistants/nobody": "unknown_assistant",
        "/threads": "invalid_request",
    }
    for each in got.values():
        assert {"type", "title", "status", "detail", "error"} <= each.keys()


def test_what_is_too_much_is_told_when_to_come_back(tmp_path: Path) -> None:
    """Too many open runs of a tenant, and too many requests of a client: 429 with Retry-After."""
    limits = {"server": {"max_open_runs": 2, "requests_per_second": 0.001}}
    (tmp_path / "hold-packer").touch()
    with (
        serving(Wanted(tmp_path, settings=limits, needs_token=True)) as served,
        httpx.Client(base_url=served.url, timeout=60) as client,
    ):
        tokens = [Guarded(served).token(f"client-{number}", "acme", "run") for number in range(3)]
        runs = [client.post("/runs", json=BOX, headers={"X-Api-Key": token}) for token in tokens]
        requests = [client.get("/ok") for _ in range(2)]
        (tmp_path / "hold-packer").unlink()

    assert [each.status_code for each in runs] == [200, 200, 429]
    assert runs[2].json()["error"] == "too_many_runs"
    assert requests[-1].json()["error"] == "too_many_requests"
    assert all(int(each.headers["retry-after"]) >= 1 for each in (runs[2], requests[-1]))


def test_metrics_are_those_of_the_tenant(tmp_path: Path) -> None:
    """An administrator counts the runs of their own tenant; that of `local` counts all."""
    with serving(Wanted(tmp_path, needs_token=True, is_recorded=True)) as server:
        people = {
            tenant: Guarded(server).client(Guarded(server).token(tenant, tenant, "admin"))
            for tenant in ("acme", "globex", "local")
        }

        def count(tenant: str) -> int:
            page = people[tenant].get("/metrics").raise_for_status().text
            runs = (line for line in page.splitlines() if "run_duration_seconds_count{" in line)
            return sum(int(float(line.rpartition(" ")[2])) for line in runs)

        for tenant, times in {"acme": 2, "globex": 1}.items():
            for _ in range(times):
                people[tenant].post("/runs/wait", json=BOX).raise_for_status()
        while count("local") < 3:  # the record of a run comes after its answer
            time.sleep(0.02)
        counts = {tenant: count(tenant) for tenant in people}
        for client in people.values():
            client.close()

    assert counts == {"acme": 2, "globex": 1, "local": 3}
