"""Copying the store while others write, and restoring it."""

import json
import os
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from filled import counts, fill, stored
from ledger import postgres_store, rows, said, sqlite_store, takers

from minerva_platform.errors import RunError, StateError
from minerva_platform.storage.engine.location import PostgresPlace
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.files.artifacts import find_artifacts
from minerva_platform.storage.ledger.schema import runs, turns
from minerva_platform.storage.maintenance.backup import back_up, url_without_password
from minerva_platform.storage.maintenance.run_rows import remove_runs

if TYPE_CHECKING:
    from postgres import Cluster


def test_the_copy_is_one_state_of_the_store_while_another_process_writes(
    tmp_path: Path, minerva_home: Path
) -> None:
    """Each run in it has its turn, and each artifact that it names is there."""
    minerva_home.mkdir()
    with (
        sqlite_store(minerva_home) as store,
        store.opened() as engine,
        takers(store, 1) as (other,),
    ):
        digest = stored(minerva_home, "text")
        fill(engine, "r1", thread="o", artifacts=[digest])
        for number in range(30):
            other.tell("ask", f"o{number}")
        assert other.heard() == "ok"
        done = back_up(
            minerva_home / "state.db", find_artifacts(minerva_home), tmp_path / "store.tar"
        )
        assert [other.heard() for _ in range(29)] == ["ok"] * 29
        assert len(said(engine)) == 31

    assert (done.file.stat().st_mode & 0o777, done.artifacts) == (0o600, 1)
    with tarfile.open(done.file) as archive:
        archive.extractall(tmp_path / "restored", filter="data")
    assert (tmp_path / "restored" / "artifacts" / digest).read_text() == "text"
    with opened_engine(tmp_path / "restored" / "state.db") as engine:
        kept = rows(engine, runs.c.run_id, runs.c.status)
        assert 2 <= len(kept) <= 31
        assert {run_id for run_id, _ in kept} == {r for (r,) in rows(engine, turns.c.run_id)}
        numbers = [number for number, words in said(engine) if words != "words"]
        assert numbers == list(range(1, len(numbers) + 1))


def test_a_backup_is_restored_by_the_command_that_it_says(
    type_in: Callable[..., Any], minerva_home: Path
) -> None:
    """The new home has all that the old one had."""
    with opened_engine(minerva_home / "state.db") as engine:
        fill(engine, "r1", artifacts=[stored(minerva_home, "text")])
        before = counts(engine)
    told = json.loads(type_in("backup", "store.tar", "--json").stdout)
    assert told["artifacts"] == 1
    unpack, _, use = told["restore"].rpartition(" && ")
    subprocess.run(unpack, shell=True, check=True)  # noqa: S602  # what a person would type
    home = Path(use.split()[0].removeprefix("MINERVA_HOME="))

    assert sorted(path.name for path in home.iterdir()) == ["artifacts", "state.db"]
    assert {path.stat().st_mode & 0o77 for path in (home, home / "state.db")} == {0}
    with opened_engine(home / "state.db") as engine:
        assert counts(engine) == before
    assert "새 폴더에 되살리려면" in type_in("backup", "b.tar", "--language", "ko").stdout


def test_a_backup_replaces_nothing_and_leaves_nothing_half(
    type_in: Callable[..., Any], tmp_path: Path, minerva_home: Path
) -> None:
    """Whatever is in its way."""
    assert "Nothing is kept" in type_in("backup", "store.tar").stderr
    with opened_engine(minerva_home / "state.db") as engine:
        fill(engine, "r1")
    (tmp_path / "store.tar").write_text("mine")
    refused = type_in("backup", "store.tar")
    assert (refused.returncode, (tmp_path / "store.tar").read_text()) == (2, "mine")
    assert "is there already" in refused.stderr
    assert "cannot be written: No such file" in type_in("backup", "nowhere/store.tar").stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [".minerva", "store.tar"]


def test_there_is_no_backup_of_a_damaged_database(tmp_path: Path, minerva_home: Path) -> None:
    """A copy of it would replace better ones."""
    place = minerva_home / "state.db"
    with opened_engine(place) as engine:
        for number in range(20):
            fill(engine, f"r{number}", words="w" * 3_000)
    pages = bytearray(place.read_bytes())
    pages[40_000:60_000] = b"\xff" * 20_000
    place.write_bytes(pages)
    with pytest.raises((StateError, RunError), match=r"damaged|malformed"):
        back_up(place, find_artifacts(minerva_home), tmp_path / "store.tar")
    assert not (tmp_path / "store.tar").exists()


def test_postgres_is_copied_and_restored_by_the_commands_that_are_said(
    postgres_server: "Cluster",
    type_in: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    minerva_home: Path,
    tmp_path: Path,
) -> None:
    """They hold no password; the artifacts come into a file beside."""
    minerva_home.mkdir()
    with postgres_store(postgres_server) as store, store.opened() as engine:
        fill(engine, "r1", artifacts=[stored(minerva_home, "text")])
        before = counts(engine)
        secret = store.address.replace("postgres@", "postgres:swordfish@")
        monkeypatch.setenv("MINERVA_STORAGE_URL", f"{secret}&password=swordfish")
        refused = type_in("backup", tmp_path / "store.dump")
        assert refused.returncode == 2
        assert "swordfish" not in refused.stderr + refused.stdout
        copy, restore = (line[2:] for line in refused.stderr.splitlines() if line[:2] == "  ")
        programs = f"{postgres_server.programs / 'bin'}{os.pathsep}{os.environ['PATH']}"

        def typed(command: str) -> None:
            environment = os.environ | {"PATH": programs}
            subprocess.run(command, shell=True, check=True, env=environment)  # noqa: S602  # as above

        typed(copy)
        engine.write(lambda connection: remove_runs(connection, ["r1"]))
        typed(restore)
        assert counts(engine) == before
        modes = {path.stat().st_mode & 0o777 for path in tmp_path.glob("store.dump*")}
        assert (modes, len(list(tmp_path.glob("store.dump*")))) == ({0o600}, 2)


def test_a_password_is_named_by_its_variable() -> None:
    """It is taken out of the URL, wherever it stands."""
    url = "postgresql+psycopg://me:pw@host:5/db?sslmode=require&password=pw&sslpassword=pw"
    assert url_without_password(PostgresPlace(url)) == "postgresql://me@host:5/db?sslmode=require"
