"""What tests ask of servers whose workers write into one folder."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import httpx


def packed(home: Path) -> Counter[str]:
    """Return how often each thing was packed."""
    return Counter(
        line.removeprefix("packer packed ")
        for line in lines(home)
        if line.startswith("packer packed ")
    )


def packed_answer(what: str) -> str:
    """Return the whole answer of a run that has packed something."""
    return f"Done: `_pack` (what: {what}).\n\npacked {what}"


def began(home: Path) -> int:
    """Return how often a packer began."""
    return sum(line.startswith("packer began") for line in lines(home))


def lines(home: Path) -> list[str]:
    """Return what the workers did."""
    log = home / "log"
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def ask(url: str, request: str, root: str = "depot") -> str:
    """Start a run in the background; return its address below a server."""
    body = {"assistant_id": root, "input": {"request": request}}
    told = httpx.post(f"{url}/runs", json=body, timeout=60).raise_for_status().json()
    return f"/threads/{told['thread_id']}/runs/{told['run_id']}"


def joined(url: str, run: str) -> dict[str, Any]:
    """Wait for a run, and return its values."""
    values: dict[str, Any] = httpx.get(f"{url}{run}/join", timeout=300).raise_for_status().json()
    return values


def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition."""
    while not condition():
        time.sleep(0.02)


def race(urls: Sequence[str], pool: Executor) -> None:
    """Let several servers get different answers to one question at once; one counts."""
    values = joined(urls[0], ask(urls[0], "do it", "office"))
    question = httpx.get(f"{urls[0]}/approvals/{values['run_id']}", timeout=60).json()["open"][0]

    def decide(url: str) -> httpx.Response:
        decision = {"type": "respond", "value": url}
        shown = {"shown_sha256": question["shown_sha256"], "decision": decision}
        body = {"run_id": values["run_id"], "decisions": {question["id"]: shown}}
        return httpx.post(f"{url}/approvals", json=body, timeout=60)

    answers = dict(zip(urls, pool.map(decide, urls), strict=True))
    (winner,) = (url for url, answer in answers.items() if answer.status_code == 200)
    for url, answer in answers.items():
        if url != winner:
            assert answer.status_code == 409, answer.text
            assert answer.json()["winners"][question["id"]]["value"] == winner
