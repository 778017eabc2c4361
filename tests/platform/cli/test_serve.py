"""`minerva serve` and `minerva token`: the server as people start it, and who may use it."""

import json
import re
import signal
import socket
import time
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import httpx
import pytest
from ledger import rows
from neighbours import body_of, configured, served

from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.schema import runs


def test_a_server_answers_until_a_signal_ends_it(start: Any) -> None:
    """It says where it listens, and to whom; SIGTERM ends it with 0."""
    process = start("serve", "--port", "0", "--grace", "1")
    line = process.stderr.readline().decode()
    url = re.findall(r"http://[\w.:]+", line)[0]
    with httpx.Client(base_url=url, timeout=60) as client:
        root, *teams = (each["name"] for each in client.post("/assistants/search", json={}).json())
        schema = client.get("/openapi.json").json()
        metrics = client.get("/metrics")
    process.send_signal(signal.SIGTERM)
    process.communicate()

    assert "to this machine, without tokens" in line
    assert (root, teams) == (
        "platform",
        sorted(each.name for each in entry_points(group="minerva.teams")),
    )
    assert schema["info"]["title"] == "MINERVA"
    assert metrics.status_code == 200
    assert process.returncode == 0


def test_a_member_that_blocks_its_process_stops_no_request(tmp_path: Path) -> None:
    """The log names it and its line. With the HTTP process both workers end, blocked or not."""
    configs = configured(tmp_path)
    with served(configs, tmp_path, "--workers", "2") as server:
        server.client.post("/runs", json=body_of("block 600")).raise_for_status()
        while not (configs / "block").exists():
            time.sleep(0.02)
        is_ok = server.client.get("/ok").json()
        beside = server.client.post("/runs/wait", json=body_of("answer")).json()
        while not (told := [line for line in server.lines if "blocks the event loop" in line]):
            time.sleep(0.02)

    assert (is_ok, beside["status"]) == ({"ok": True}, "ok")
    assert re.search(r"`office/clerk` blocks the event loop at office.py:\d+, in work", told[0])
    assert "plain `def work`" in told[0]


def test_a_signal_cuts_off_who_waits_and_names_what_is_left(tmp_path: Path) -> None:
    """No traceback; the run stays for others, though its client wants it to go with the connection.

    Clients of LangGraph's ask again for a run whose connection broke off.
    """
    configs = configured(tmp_path)
    body = {**body_of("hold"), "on_disconnect": "cancel"}
    with served(configs, tmp_path) as server:
        with server.client.stream("POST", "/runs/wait", json=body) as waiting:
            address = waiting.headers["Content-Location"]
            with server.client.stream("GET", f"{address}/stream") as following:
                while not (configs / "hold").exists():
                    time.sleep(0.02)
                server.process.send_signal(signal.SIGTERM)
                for each in (waiting, following):
                    with pytest.raises(httpx.RemoteProtocolError, match="incomplete"):
                        each.read()
        code = server.process.wait()
    with opened_engine(tmp_path / "state.db") as engine:
        left = rows(engine, runs.c.run_id, runs.c.status)

    assert (code, left) == (0, [(address.rpartition("/")[2], "queued")])
    logged = [json.loads(line) for line in server.lines if line.startswith("{")]
    assert {each["timestamp"][:2] for each in logged} == {"20"}
    assert "POST /runs/wait: 200 in " in " ".join(each["event"] for each in logged)
    said = [line for line in server.lines if left[0][0] in line and not line.startswith("{")]
    assert [line.partition(": ")[0] for line in said] == ["not over yet (1)"]
    assert "minerva serve`, goes on with them" in said[0]
    assert not [line for line in server.lines if "Traceback" in line or "ERROR" in line]


def test_it_does_not_listen_to_others_without_a_token(invoke: Any) -> None:
    """Nobody can be served by accident; a taken port is said, too."""
    refused = invoke("serve", "--host", "0.0.0.0", "--port", "0")  # noqa: S104  # refused
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        busy = invoke("serve", "--port", port)

    assert (refused.exit_code, busy.exit_code) == (2, 2)
    assert "token create NAME" in refused.stderr
    assert f"--port {port + 1}" in busy.stderr


def test_tokens_are_made_listed_and_revoked(invoke: Any) -> None:
    """The token itself is shown once; no command and no file has it later."""
    made = invoke("token", "create", "billing", "--tenant", "finance", "--scope", "read,run")
    short = invoke("token", "create", "guest", "--team", "data", "--days", "0")
    listed = json.loads(invoke("token", "list", "--json").stdout)["tokens"]
    revoked = invoke("token", "revoke", "billing")
    lines = invoke("token", "list").stdout.splitlines()

    assert made.stdout.startswith("minerva_")
    assert made.stdout.strip() not in json.dumps(listed) + "".join(lines) + revoked.stderr
    assert [(each["name"], each["tenant"], each["scopes"]) for each in listed] == [
        ("billing", "finance", ["read", "run"]),
        ("guest", "local", ["approve", "read", "run"]),
    ]
    assert (listed[1]["teams"], short.exit_code) == (["data"], 0)
    assert [line.split("  ")[-1] for line in lines] == ["revoked", "expired"]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("create", "a b"), "other characters"),
        (("create", "a", "--scope", "all"), "There is no scope `all`"),
        (("create", "a", "--scope", ","), "without a scope"),
        (("create", "a", "--tenant", "../b"), "The tenant"),
        (("revoke", "nobody"), "minerva token list"),
    ],
)
def test_a_token_that_makes_no_sense_is_refused(
    invoke: Any, typed: tuple[str, ...], said: str
) -> None:
    """With what to type instead."""
    refused = invoke("token", *typed)

    assert (refused.exit_code, refused.stdout) == (2, "")
    assert said in refused.stderr


def test_a_name_is_given_once(invoke: Any) -> None:
    """Also after it was revoked, so that audits mean one holder."""
    invoke("token", "create", "ann")
    invoke("token", "revoke", "ann")

    assert "Take another name" in invoke("token", "create", "ann").stderr


@pytest.mark.usefixtures("with_trial")
def test_the_events_of_a_run_are_printed(invoke: Any) -> None:
    """One JSON object a line, numbered, from its beginning to its end."""
    run = invoke("ask", "--background", "--team", "trial", "speak").stdout.strip()
    invoke("worker", "--until-empty")
    printed = invoke("runs", "events", run[:8], "--follow")
    events = [json.loads(line) for line in printed.stdout.splitlines()]

    assert printed.exit_code == 0
    assert [each["seq"] for each in events] == [*range(1, len(events) + 1)]
    types = [each["type"] for each in events]
    assert (types[0], types[-2:]) == ("run_started", ["text", "run_ended"])
    assert {"routed", "call_started", "call_finished"} <= {*types}
