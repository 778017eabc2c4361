"""Runs of eight effects that are killed at random points: what is to be seen of them after it."""

import json
import os
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from answers import without_effects
from deed_doer import KINDS, Doers
from ledger import Store
from postgres import Cluster
from sqlalchemy import delete, select, update

from minerva_platform.storage.ledger.schema import checkpoints, effects, runs, threads, writes

ENDED = {
    "status": "ok",
    "answer": "## pay\n\nreserve 7, charge 7, wire 7, book 7, receipt 7\n\n"
    "## mail\n\nletter 7, stamp 7, note 7",
    "effects": sorted(f"{name} done" for name in KINDS),
    "hops": ["office/mail/clerk ok", "office/pay/payer ok"],
    "causes": [],
    "asked": {},
}
"""What is seen of a run at its end, however often it was killed, less its first paragraph."""


@dataclass
class Story:
    """One run in a folder and a thread of its own, and what became of it."""

    store: Store
    doers: Doers
    folder: Path
    chance: random.Random
    kills: int = 0
    asked: int = 0
    approved: Counter[str] = field(default_factory=Counter[str])
    """How often a person let an effect be done again."""
    said: Counter[str] = field(default_factory=Counter[str])
    """How often a person said that it had happened."""

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True)

    def do(self, **more: Any) -> dict[str, Any]:
        """Begin the run, or go on with it, to the next question or the end."""
        return self.doers.do(**self._where(), **more)

    def do_with_tables(self, **more: Any) -> dict[str, Any]:
        """Do so in a database that has its tables already."""
        with self.store.opened() as engine:
            engine.write(lambda _: None)
        return self.do(**more)

    def start(self, **more: Any) -> int:
        """Begin the run, or go on with it, in a process; return its id."""
        return self.doers.start(**self._where(), **more)

    def do_killed(self, **more: Any) -> dict[str, Any] | None:
        """Do so and kill the process at a random point; None if it was killed before its end.

        The point is a number of effects that have happened, and up to 20 ms more.
        """
        pid = self.start(**more)
        until, extra = self.chance.randrange(9), self.chance.random() / 50
        while len(self.world()) < until and _lives(pid):
            time.sleep(0.001)
        time.sleep(extra)
        if _lives(pid):
            os.kill(pid, signal.SIGKILL)
        ended = self.doers.ended()
        self.kills += ended is None
        return ended

    def whole(self, *, forget: bool = False, again: float = 0.4) -> dict[str, Any]:
        """Kill the run, and again now and then, and let others go on with it to its end.

        With `forget`, each killed run loses its newest checkpoint.
        """
        last = self.do_killed()
        while True:
            if last is None:
                self.free()
                if forget:
                    self.forget_newest()
            elif not last["asked"]:
                return last
            decisions = {} if last is None else self._decide(last["asked"])
            do = self.do_killed if self.chance.random() < again else self.do
            last = do(decisions=decisions)

    def go_on_checked(self) -> int:
        """Go on with a run whose database had failed, to its end; return what was done before."""
        done = len(self.world())
        assert done <= len(self.intents()) + 1
        last: dict[str, Any] = {}
        while last.get("status") != "ok":
            if self.run_id is not None:
                self.free()
            last = self.do(decisions=self._decide(last.get("asked", {})))
        self.check(last)
        return done

    def _decide(self, asked: dict[str, str]) -> dict[str, Any]:
        """Decide about all questions, or some: done again, or it happened."""
        decisions: dict[str, Any] = {}
        for question, name in asked.items():
            self.asked += 1
            happened = any(line["name"] == name for line in self.world())
            if happened and self.chance.random() < 0.5:
                self.said[name] += 1
                decisions[question] = {"type": "respond", "value": f"{name} 7"}
            else:
                self.approved[name] += 1
                decisions[question] = {"type": "approve"}
        return decisions

    def _where(self) -> dict[str, Any]:
        where = {"place": self.store.address, "folder": str(self.folder), "thread": self.thread}
        run = self.run_id
        return where if run is None else {**where, "run": run}

    @property
    def thread(self) -> str:
        """The thread of the run."""
        return self.folder.name

    @property
    def run_id(self) -> str | None:
        """The id of the run; None if it was killed before it was accepted."""
        mine = select(runs.c.run_id).where(runs.c.thread_id == self.thread)
        with self.store.opened() as engine:
            return engine.read(lambda c: c.execute(mine).scalar(), empty=None)

    def free(self) -> None:
        """End the lease of a process that is dead, as waiting for its end would."""
        mine = update(threads).where(threads.c.thread_id == self.thread).values(lease_until=0)
        with self.store.opened() as engine:
            engine.write(lambda c: c.execute(mine))

    def forget_newest(self) -> None:
        """Delete the newest checkpoint of each graph of the run, with what was written after it."""
        run = self.run_id

        def forgotten(connection: Any) -> None:
            mine = select(checkpoints).where(checkpoints.c.thread_id == run)
            rows = connection.execute(mine.order_by(checkpoints.c.number)).all()
            for row in {row.checkpoint_ns: row for row in rows}.values():
                for table in (checkpoints, writes):
                    its = (table.c.thread_id == run, table.c.checkpoint_id == row.checkpoint_id)
                    connection.execute(
                        delete(table).where(*its, table.c.checkpoint_ns == row.checkpoint_ns)
                    )

        with self.store.opened() as engine:
            engine.write(forgotten)

    def world(self) -> list[dict[str, Any]]:
        """Return what has happened in the world."""
        file = self.folder / "world"
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        return [json.loads(line) for line in text.splitlines()]

    def intents(self) -> list[tuple[str, str]]:
        """Return the names and states of the effects that are kept."""
        run = self.run_id
        mine = select(effects.c.name, effects.c.state).where(effects.c.run_id == run)
        nothing: list[tuple[str, str]] = []
        with self.store.opened() as engine:
            return engine.read(lambda c: sorted((a, b) for a, b in c.execute(mine)), empty=nothing)

    def check(self, last: dict[str, Any]) -> None:
        """Check that no step was lost, and that nothing was repeated that may not be."""
        seen = {**last, "answer": without_effects(last["answer"])}
        assert {name: seen[name] for name in ENDED} == ENDED, seen
        assert self.intents() == sorted((name, "done") for name in KINDS)
        times = Counter(line["name"] for line in self.world())
        assert set(times) == set(KINDS)
        for name, kind in KINDS.items():
            if kind == "once":
                assert times[name] <= 1 + self.approved[name], (name, times, self)
        keys = {(line["name"], line["key"]) for line in self.world()}
        assert len(keys) == len({key for _, key in keys}) == len(KINDS), keys


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def with_full_disk(story: Story, max_bytes: int) -> int:
    """Run into a full disk, and on with space; return how many effects were done before."""
    assert story.do_with_tables(bytes=max_bytes).get("status") != "ok"
    return story.go_on_checked()


def with_stopped_server(story: Story, cluster: Cluster, name: str) -> int:
    """Let the server crash in the middle of the effect `name`, and go on with a new one.

    Return how many effects were done before.
    """
    held = story.folder / f"hold-{name}"
    held.touch()
    pid = story.start()
    while name not in [line["name"] for line in story.world()]:
        assert _lives(pid)
        time.sleep(0.001)
    cluster.stop()
    held.unlink()
    last = story.doers.ended()
    cluster.start()
    assert last is not None
    assert last.get("status") != "ok"
    return story.go_on_checked()
