"""Runs that are older than configured go by themselves; all of a tenant goes by one command."""

import asyncio
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from filled import DAY, fill, stored
from ledger import Store, rows
from sqlalchemy import Connection, update

from minerva_platform import Task
from minerva_platform.config.settings import Settings
from minerva_platform.durable.worker_process import WorkerProcess
from minerva_platform.errors import RunError, SettingsError
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.location import URL_VARIABLE, PostgresPlace
from minerva_platform.storage.files.artifacts import find_artifacts
from minerva_platform.storage.files.uploads import keep_upload
from minerva_platform.storage.ledger.run_start import NewRun, enqueue
from minerva_platform.storage.ledger.schema import (
    events,
    runs,
    threads,
    turns,
    uploads,
    worker_processes,
)
from minerva_platform.storage.maintenance.forget import ForgetPlan, forget, plan_forget
from minerva_platform.storage.maintenance.prune import PruneRule
from minerva_platform.storage.maintenance.retention import retain, retention_rule
from minerva_platform.storage.server.tenant_rows import Sight

LIMITS = "retention: {default: 90d, tenants: {acme: 30d, slow: 52w}}\n"


def configured(folder: Path, text: str) -> Settings:
    """Return settings of a platform.yaml."""
    folder.mkdir(exist_ok=True)
    (folder / "platform.yaml").write_text(text)
    return Settings(folder)


def fill_all(engine: Engine) -> None:
    """Fill a store with runs of three tenants: of 10, 40 and 100 days, and such that wait."""
    now = time.time()
    for tenant in ("local", "acme", "slow"):
        for days in (10, 40, 100):
            name = f"{tenant}-{days}"
            fill(engine, name, thread=name, ended=now - days * DAY, words=name)
        for status in ("needs_human", "queued"):
            name = f"{tenant}-{status}"
            fill(engine, name, thread=name, status=status, ended=now - 500 * DAY)

    def share(connection: Connection) -> None:
        for table in (threads, runs):
            for tenant in ("acme", "slow"):
                its = update(table).where(table.c.thread_id.startswith(f"{tenant}-"))
                connection.execute(its.values(tenant=tenant))

    engine.write(share)


STAY = ["acme-10", "local-10", "local-40", "slow-10", "slow-100", "slow-40"]


def left(engine: Engine) -> list[str]:
    """Return the runs that are over and there; those that wait must be."""
    names = [name for (name,) in rows(engine, runs.c.run_id)]
    waiting = [name for name in names if name.endswith(("needs_human", "queued"))]
    assert len(waiting) == 6
    return sorted(set(names) - set(waiting))


def wait_until_gone(engine: Engine, file: Path) -> None:
    """Wait until what is too old has gone; pytest ends what hangs."""
    while left(engine) != STAY or file.exists():
        time.sleep(0.01)


@pytest.mark.small(databases=1)
def test_prune_follows_the_configuration_by_tenant(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Callable[..., Any]
) -> None:
    """Without a limit of its own; what waits for a person or a process stays however old."""
    if isinstance(store.place, PostgresPlace):
        monkeypatch.setenv(URL_VARIABLE, store.place.url)
    configured(tmp_path / "configs", LIMITS)
    with store.opened() as engine:
        fill_all(engine)
        assert type_in("prune", "--yes").returncode == 0
        assert left(engine) == STAY
        assert {name for (name,) in rows(engine, turns.c.run_id)} >= set(STAY)
        configured(tmp_path / "configs", "")
        assert "retention: {default: 90d}" in type_in("prune", "--yes").stderr


@pytest.mark.small(databases=1)
async def test_a_running_process_removes_what_is_too_old(store: Store, minerva_home: Path) -> None:
    """One process at a time, once in an hour; with its rows, its events and its artifacts."""
    with store.opened() as engine:
        fill_all(engine)
        digest = stored(minerva_home, "old", at=time.time() - 200 * DAY)
        fill(engine, "last", thread="last", ended=time.time() - 95 * DAY, artifacts=[digest])
        options = RunOptions(home=minerva_home, engine=engine)
        rule = PruneRule(90 * DAY, ages={"acme": 30 * DAY, "slow": 364 * DAY})
        at_once = 0  # the queued runs are of no team here

        process = WorkerProcess(
            lambda _: pytest.fail("no run begins"), options, at_once, retention=rule
        )
        work = asyncio.create_task(process.work())
        await asyncio.to_thread(wait_until_gone, engine, minerva_home / "artifacts" / digest)
        process.drain()
        await work
        assert "last" not in {name for (name,) in rows(engine, events.c.run_id)}

        fill(engine, "later", thread="later", ended=time.time() - 95 * DAY)
        retain(engine, find_artifacts(minerva_home), rule)  # as another process does
        assert left(engine) == sorted([*STAY, "later"])
        over = update(worker_processes).values(alive_until=0.0)
        engine.write(lambda connection: connection.execute(over))
        retain(engine, find_artifacts(minerva_home), rule)
        assert left(engine) == STAY


def test_lengths_of_time_are_read_or_refused_by_line(tmp_path: Path) -> None:
    """Each error names the file, the line and the form."""
    rule = retention_rule(configured(tmp_path, LIMITS).platform.retention)
    assert rule is not None
    assert (rule.older_than_s, rule.ages) == (90 * DAY, {"acme": 30 * DAY, "slow": 364 * DAY})
    assert retention_rule(configured(tmp_path, "").platform.retention) is None
    for wrong in ("90", "0d", "-1d", "1e9d", "true", "90 days", "1:30", "soon", "[90d]"):
        text = f"limits: {{}}\nretention:\n  tenants:\n    acme: {wrong}\n"
        with pytest.raises(SettingsError, match=r"platform\.yaml:4: "):
            configured(tmp_path, text).platform  # noqa: B018  # it is read here
    with pytest.raises(SettingsError, match=r":1: .*write minutes, hours, days or weeks: 90d, 12h"):
        configured(tmp_path, "retention: {default: 90}").platform  # noqa: B018  # the same


@pytest.mark.parametrize("name", ["", " ", " acme", "a/b"])
@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("retention: {tenants: {?: 1d}}", "a tenant: `token create"),
        ("queue: {at_once_of: {?: 2}}", "a team"),
    ],
)
def test_what_names_nobody_is_refused_by_line(
    tmp_path: Path, key: str, meant: str, name: str
) -> None:
    """Wherever a setting is one of a tenant or of a team; the error says what is meant."""
    text = f"limits: {{}}\n{key.replace('?', json.dumps(name))}\n"
    with pytest.raises(
        SettingsError, match=rf"platform\.yaml:2: .* is no name; write that of {meant}"
    ):
        configured(tmp_path, text).platform  # noqa: B018  # it is read here


@pytest.mark.small(databases=1)
def test_all_of_a_tenant_is_erased(
    store: Store,
    minerva_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    type_in: Callable[..., Any],
) -> None:
    """Its runs, waiting ones too, and its uploads; another tenant's of the same content stay."""
    if isinstance(store.place, PostgresPlace):
        monkeypatch.setenv(URL_VARIABLE, store.place.url)
    with store.opened() as engine:
        fill_all(engine)
        kept = find_artifacts(minerva_home).store(engine)
        for tenant, data in (("acme", b"mine"), ("acme", b"both"), ("slow", b"both")):
            keep_upload(engine, kept, Sight(tenant), "a.txt", data, now=time.time())
        assert len(list(kept.directory.iterdir())) == 2
        assert "nothing here" in type_in("forget", "--tenant", "nobody", "--yes").stderr
        assert "--tenant" in type_in("forget", "--yes").stderr
        assert "forget --tenant acme --yes" in type_in("forget", "--tenant", "acme").stderr
        one = type_in("forget", "acme-10", "--tenant", "acme")
        assert "forget acme-10 --tenant acme --yes" in one.stderr

        done = type_in("forget", "--tenant", "acme", "--yes", "--language", "ko")
        assert done.returncode == 0, done.stderr
        assert "테넌트 acme" in done.stdout
        for column in (runs.c.tenant, threads.c.tenant, uploads.c.tenant):
            assert "acme" not in {tenant for (tenant,) in rows(engine, column)}
        assert len(rows(engine, runs.c.run_id)) == 10
        assert rows(engine, uploads.c.tenant) == [("slow",)]
        assert [path.read_bytes() for path in kept.directory.iterdir()] == [b"both"]


def test_of_threads_of_one_name_that_of_the_named_tenant_is_erased(
    store: Store, minerva_home: Path
) -> None:
    """Without a tenant, nothing is guessed."""
    place = find_artifacts(minerva_home)

    def plan(engine: Engine, **which: Any) -> ForgetPlan | None:
        work = partial(plan_forget, engine=engine, place=place, **{"thread_id": "t", **which})
        return engine.read(work, empty=None)

    with store.opened() as engine:
        for name, tenant in (("t", "globex"), ("t~of~acme", "acme"), ("x1~of~acme", "acme")):
            enqueue(engine, NewRun(name, name, "office", Task(request="go"), tenant=tenant))
        with pytest.raises(RunError, match="Several tenants have a thread `t`: acme, globex"):
            plan(engine)
        assert plan(engine, tenant="initech") is None
        for other in ("x_", "X1", "x%"):  # no pattern, and no other case
            assert plan(engine, thread_id=other) is None
        found = plan(engine, tenant="acme")
        assert found is not None
        assert found.thread_id == "t~of~acme"
        forget(engine, found)
        alone = plan(engine)
        assert alone is not None
        assert alone.thread_id == "t"
