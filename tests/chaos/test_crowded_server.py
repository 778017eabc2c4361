"""Servers that a crowd asks at once: whole answers, flat memory, and few guesses."""

import asyncio
import json
import sys
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from ledger import postgres_store
from postgres import Cluster
from server import ServerProcess, processes
from server_work import packed_answer
from slow_database import slow

from minerva_platform.storage.engine.location import PostgresPlace
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.server.tokens import NewToken, Scope, create_token

WAITS = 1_000
UPLOADS = 40
UPLOAD_BYTES = 512 * 1024
GUESSES = 6_000
MIB = 1024 * 1024


async def waited(client: httpx.AsyncClient, url: str, what: str) -> dict[str, Any]:
    """Let something be packed, and return the body, or why there is no whole one."""
    body = {"assistant_id": "depot", "input": {"request": what}}
    try:
        answer = await client.post(f"{url}/runs/wait", json=body)
        told: dict[str, Any] = json.loads(answer.content)
    except httpx.HTTPError as error:
        return {"cut": type(error).__name__}
    return told if answer.status_code == 200 else {"refused": answer.status_code}


def kind_of(values: dict[str, Any], what: str) -> str:
    """Return what a body is."""
    if values.get("status") == "ok" and values.get("answer") == packed_answer(what):
        return "whole"
    if values.get("__error__", {}).get("error") and values["__error__"].get("message"):
        return f"error {values['__error__']['error']}"
    told = next((f"{name} {values[name]}" for name in ("cut", "refused") if name in values), None)
    return told or f"early: {json.dumps(values)[:200]}"


@pytest.mark.parametrize("delay", [0.0, 0.02], ids=["near", "slow"])
@pytest.mark.parametrize("count", [1, 2])
async def test_a_thousand_waits_at_once_end_with_their_runs(
    postgres_server: Cluster, tmp_path: Path, count: int, delay: float
) -> None:
    """No body is empty, and none is of a run that still goes on."""
    with ExitStack() as stack:
        store = stack.enter_context(postgres_store(postgres_server))
        address = stack.enter_context(slow(store.address, delay)) if delay else store.address
        settings = {"server": {"requests_per_second": 10_000}}
        servers = stack.enter_context(
            processes(tmp_path, count, url=address, at_once=16, settings=settings)
        )
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        async with httpx.AsyncClient(timeout=900, limits=limits) as client:
            values = await asyncio.gather(
                *(waited(client, servers[n % count].url, f"case {n}") for n in range(WAITS))
            )
    kinds = Counter(kind_of(each, f"case {n}") for n, each in enumerate(values))
    sys.stderr.write(f"\n{count} servers, {delay} s: {dict(kinds)}\n")

    told = {"refused 503", "error state_unavailable"}  # the database was asked too much
    assert kinds.keys() <= {"whole", *(told if delay else ())}
    assert kinds["whole"] > 0


def resident(server: ServerProcess) -> int:
    """Return the bytes of memory that a server takes."""
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


async def upload_slowly(url: str, seconds: float) -> bytes:
    """Send a half megabyte without a token, a part at a time; return the beginning of the answer.

    What the server says does not stop it.
    """
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(
        f"POST /files?name=a.bin HTTP/1.1\r\nHost: {host}:{port}\r\n"
        f"Content-Length: {UPLOAD_BYTES}\r\n\r\n".encode()
    )
    answer = await reader.read(65_536)
    parts = 32
    for _ in range(parts):
        if writer.is_closing():
            break
        writer.write(b"0" * (UPLOAD_BYTES // parts))
        await asyncio.sleep(seconds / parts)
    writer.close()
    return answer


async def test_uploads_without_a_token_take_no_room(tmp_path: Path) -> None:
    """Forty at once, slowly: each is refused before its body, and memory stays flat."""
    with processes(tmp_path, 1, needs_token=True) as (server,):
        async with httpx.AsyncClient(base_url=server.url) as client:
            for _ in range(20):
                await client.get("/ok")
        before, most = resident(server), 0
        uploads = [
            asyncio.create_task(upload_slowly(server.url, seconds=6.0)) for _ in range(UPLOADS)
        ]
        while not all(each.done() for each in uploads):
            most = max(most, resident(server))
            await asyncio.sleep(0.05)
        answers = [each.result() for each in uploads]
    sys.stderr.write(f"\n{UPLOADS} uploads: {(most - before) / MIB:.1f} MiB more\n")

    assert {answer.partition(b"\r\n")[0] for answer in answers} == {b"HTTP/1.1 401 Unauthorized"}
    assert most - before < 20 * MIB


async def test_guesses_are_limited_and_lock_nobody_out(
    postgres_server: Cluster, tmp_path: Path
) -> None:
    """Six thousand from one address: 429 with the time to wait, in the same memory."""
    with postgres_store(postgres_server) as store:
        with opened_engine(PostgresPlace(store.address)) as engine:
            new = NewToken("known", "acme", list[Scope](["read"]))
            token = engine.write(lambda it: create_token(it, new, time.time()))
        with processes(tmp_path, 1, url=store.address, needs_token=True) as (server,):
            answers: list[httpx.Response] = []
            async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:
                mine = {"X-Api-Key": token}
                assert (await client.get("/agents", headers=mine)).status_code == 200
                before, codes = resident(server), Counter[int]()
                for start in range(0, GUESSES, 50):
                    guesses = (
                        client.get("/agents", headers={"X-Api-Key": f"minerva_{number}"})
                        for number in range(start, start + 50)
                    )
                    answers = await asyncio.gather(*guesses)
                    codes.update(answer.status_code for answer in answers)
                    assert (await client.get("/agents", headers=mine)).status_code == 200
                more = resident(server) - before
    sys.stderr.write(f"\n{GUESSES} guesses: {dict(codes)}, {more / MIB:.1f} MiB more\n")

    assert set(codes) == {401, 429}
    assert codes[429] > GUESSES * 0.9
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert more < 20 * MIB
