"""Encryption at rest: no word of a run is left to read, and a store is turned from key to key."""

import base64
import hashlib
import json
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import copies
import pytest
from canaries import KINDS, plant, seen_kinds, word
from filled import fill, stored
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from ledger import Store, rows
from sqlalchemy import text

from minerva_platform.contract.values import Content
from minerva_platform.errors import SettingsError, StateError
from minerva_platform.storage.engine.encryption import keyring
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.location import URL_VARIABLE, PostgresPlace
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.engine.store_keys import check_keys, keep_keys
from minerva_platform.storage.files.artifacts import ArtifactStore, find_artifacts
from minerva_platform.storage.ledger.schema import (
    contents,
    decisions,
    runs,
    storage_keys,
    turns,
    uploads,
)
from minerva_platform.storage.maintenance.reencryption import reencrypt
from minerva_platform.text.command_hint import minerva_command

KEY = "MINERVA_STORAGE_KEY"
BEFORE = "MINERVA_STORAGE_KEY_BEFORE"


def new_key(number: int) -> str:
    """Return a key."""
    return base64.b64encode(bytes([number] * 32)).decode()


@pytest.fixture
def placed(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Give a database of each kind, which the environment names."""
    if isinstance(store.place, PostgresPlace):
        monkeypatch.setenv(URL_VARIABLE, store.place.url)
    return store


@pytest.mark.small(databases=1)
@pytest.mark.parametrize("is_on", [False, True])
def test_no_planted_word_can_be_read(
    placed: Store, minerva_home: Path, monkeypatch: pytest.MonkeyPatch, *, is_on: bool
) -> None:
    """In no table, no file and no name; without a key each of them can."""
    if is_on:
        monkeypatch.setenv(KEY, new_key(1))
    with placed.opened() as engine:
        plant(engine, minerva_home)
        seen = seen_kinds(engine, minerva_home)
    assert seen == (set() if is_on else set(KINDS))


def give_keys(monkeypatch: pytest.MonkeyPatch, current: str | None, *earlier: str) -> None:
    """Set the variables."""
    for name, value in ((KEY, current), (BEFORE, ",".join(earlier))):
        if value:
            monkeypatch.setenv(name, value)
        else:
            monkeypatch.delenv(name, raising=False)


def told(engine: Engine) -> list[Any]:
    """Return what the store says, in plain text."""
    return [
        rows(engine, runs.c.run_id, runs.c.task, runs.c.run, runs.c.metadata),
        rows(engine, turns.c.turn),
        rows(engine, decisions.c.value),
        rows(engine, uploads.c.name),
    ]


@pytest.mark.small("postgres")
def test_a_store_is_turned_to_a_key_and_another_and_back(
    placed: Store, minerva_home: Path, monkeypatch: pytest.MonkeyPatch, type_in: Callable[..., Any]
) -> None:
    """It says the same all the time, and nothing of it can be read while there is a key."""
    with placed.opened() as engine:
        plant(engine, minerva_home)
        before = told(engine)
    give_keys(monkeypatch, new_key(1))
    with placed.opened() as engine, pytest.raises(StateError, match=r"minerva encrypt"):
        told(engine)
    assert "store is encrypted" in type_in("encrypt").stdout
    with placed.opened() as engine:
        assert told(engine) == before
        assert seen_kinds(engine, minerva_home) == set()

    give_keys(monkeypatch, new_key(2), new_key(1))
    turned = json.loads(type_in("encrypt", "--json").stdout)
    assert turned == {"is_encrypted": True, "plain": []}
    give_keys(monkeypatch, new_key(2))  # the earlier one is not needed any more
    with placed.opened() as engine:
        assert told(engine) == before
        assert seen_kinds(engine, minerva_home) == set()
        assert len(rows(engine, storage_keys.c.key_id)) == 1
        digest = next(path.name for path in (minerva_home / "artifacts").iterdir())
        assert ArtifactStore(minerva_home / "artifacts").read_bytes(digest)

    give_keys(monkeypatch, None, new_key(2))
    assert "평문으로" in type_in("encrypt", "--to-plain", "--language", "ko").stdout
    give_keys(monkeypatch, None)
    with placed.opened() as engine:
        assert told(engine) == before
        assert {"request", "artifact", "upload-name"} <= seen_kinds(engine, minerva_home)
        assert rows(engine, storage_keys.c.key_id) == []


def digests(home: Path) -> dict[str, str]:
    """Return the sha-256 of all files of a home."""
    return {
        str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in home.rglob("*")
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }


@pytest.mark.small(databases=1)
@pytest.mark.parametrize(
    ("current", "earlier", "said"),
    [
        (None, [], "MINERVA_STORAGE_KEY is not set"),
        (None, [1], "MINERVA_STORAGE_KEY_BEFORE holds the key with the id"),
        (2, [], "MINERVA_STORAGE_KEY holds the key with the id"),
        (2, [1], "MINERVA_STORAGE_KEY_BEFORE holds the key with the id"),
    ],
)
def test_a_store_is_refused_with_other_keys_than_its_own(  # what the environment is
    placed: Store,
    minerva_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    type_in: Callable[..., Any],
    current: int | None,
    earlier: list[int],
    said: str,
) -> None:
    """By the name of the variable; nothing is written, by whatever command."""
    give_keys(monkeypatch, new_key(1))
    with placed.opened() as engine:
        fill(engine, "r1", artifacts=[stored(minerva_home, "text")])
        kept = engine.read(everything, empty=list[Any]())
    before = digests(minerva_home)
    give_keys(monkeypatch, new_key(current) if current else None, *map(new_key, earlier))
    for command in (("prune", "--keep", "0", "--yes"), ("forget", "t", "--yes"), ("waiting",)):
        refused = type_in(*command)
        assert (refused.returncode, said in refused.stderr) == (2, True), refused.stderr
    with placed.opened() as engine, pytest.raises(StateError, match=said):
        fill(engine, "r2")
    assert digests(minerva_home) == before
    give_keys(monkeypatch, new_key(1))
    with placed.opened() as engine:
        assert engine.read(everything, empty=list[Any]()) == kept


def everything(connection: Any) -> list[Any]:
    """Return all rows of some tables, as they are kept."""
    names = ("runs", "turns", "threads", "storage_keys", "events")
    return [connection.execute(text(f"SELECT * FROM {name}")).all() for name in names]  # noqa: S608  # names


def test_a_bad_key_says_how_to_make_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too short, or no base64."""
    for wrong in ("abc", "zz zz", base64.b64encode(b"short").decode()):
        monkeypatch.setenv(KEY, wrong)
        with pytest.raises(SettingsError, match=r"MINERVA_STORAGE_KEY holds no key .*openssl"):
            keyring()
    monkeypatch.setenv(BEFORE, f"{new_key(1)},abc")
    with pytest.raises(SettingsError, match=r"KEY_BEFORE holds no key .* or unset it"):
        keyring()


def id_of(number: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the id of a key; empty: of none."""
    give_keys(monkeypatch, new_key(number) if number else None)
    return keyring().current


@pytest.mark.parametrize(
    ("there", "current", "earlier", "to_go_on", "to_turn"),
    [
        ([1], 0, [], "set KEY to key 1", ""),
        ([1], 0, [3], "set KEY to key 1", "set BEFORE to key 1 and type: encrypt --to-plain"),
        ([1], 0, [1], "set KEY to key 1", "type: encrypt --to-plain"),
        ([1], 2, [], "set KEY to key 1", "set BEFORE to key 1 and type: encrypt"),
        ([1], 2, [1], "set KEY to key 1", "type: encrypt"),
        ([0], 1, [], "unset KEY", "type: encrypt"),
        ([2, 1], 0, [], "set KEY to key 2 and set BEFORE to key 1 and type: encrypt", ""),
        ([2, 1], 2, [3], "set BEFORE to key 1 and type: encrypt", ""),
        (
            [2, 1],
            1,
            [],
            "set KEY to key 2 and set BEFORE to key 1 and type: encrypt",
            "set BEFORE to key 2 and type: encrypt",
        ),
        (
            [2, 1],
            0,
            [1],
            "set KEY to key 2 and type: encrypt",
            "set BEFORE to keys 2,1 and type: encrypt --to-plain",
        ),
        ([0, 1], 0, [], "set BEFORE to key 1 and type: encrypt --to-plain", ""),
        ([1, 0], 0, [], "set KEY to key 1 and type: encrypt", ""),
    ],
)
def test_the_error_names_each_variable_that_is_to_change(  # the store, the variables, the words
    monkeypatch: pytest.MonkeyPatch,
    there: list[int],
    current: int,
    earlier: list[int],
    to_go_on: str,
    to_turn: str,
) -> None:
    """Also where the store was left between two keys; and what is in them, by the ids of keys."""
    ids = {number: id_of(number, monkeypatch) for number in (0, 1, 2, 3)}
    give_keys(monkeypatch, new_key(current) if current else None, *map(new_key, earlier))
    with pytest.raises(StateError) as refused:
        check_keys([ids[number] for number in there], keyring(), "here")
    said = refused.value.reason.replace(BEFORE, "BEFORE").replace(KEY, "KEY")
    for number in (1, 2, 3):
        said = said.replace(ids[number], str(number))
    said = said.replace("the keys with the ids", "keys").replace("the key with the id", "key")
    lies, _, steps = said.partition(". To go on, ")
    go_on, _, turn = steps.replace(f"{minerva_command()} ", "").partition(". To have all of it ")

    assert (go_on, turn.partition(", ")[2]) == (to_go_on, to_turn)
    named = [f"KEY holds key {current}" if current else "KEY is not set"]
    named.append(f"BEFORE holds key {earlier[0]}" if earlier else "BEFORE is not set")
    assert lies.split(". ")[1:] == named
    forms = [f"encrypted by key {each}" if each else "plain text" for each in there]
    assert lies.split(". ")[0] == f"is {', and in parts still '.join(forms)}"


@pytest.mark.small(databases=1)
@pytest.mark.parametrize(
    ("typed", "current", "earlier", "said"),
    [
        (("encrypt", "--to-plain"), None, [1], "set {before} to the keys with the ids {two},{one}"),
        (("encrypt", "--to-plain"), None, [3, 2], "set {key} to the key with the id {two}"),
        (("encrypt", "--to-plain"), None, [], "set {before} to the keys with the ids {two},{one}"),
        (("encrypt",), 2, [3], "set {before} to the key with the id {one}"),
        (("encrypt",), None, [1], "set {key} to the key with the id {two}"),
        (("encrypt",), 3, [2], "set {before} to the keys with the ids {two},{one}"),
    ],
)
def test_a_half_turned_store_is_turned_no_further_without_its_keys(  # as above
    placed: Store,
    monkeypatch: pytest.MonkeyPatch,
    type_in: Callable[..., Any],
    typed: tuple[str, ...],
    current: int | None,
    earlier: list[int],
    said: str,
) -> None:
    """The command says which are needed, all at once, and writes nothing."""
    two, one = id_of(2, monkeypatch), id_of(1, monkeypatch)
    with placed.opened() as engine:
        fill(engine, "r1")
        engine.write(lambda connection: keep_keys(connection, [two, one]))
        engine.is_turned = True
        kept = engine.write(everything)
        engine.is_turned = False
    give_keys(monkeypatch, new_key(current) if current else None, *map(new_key, earlier))
    refused = type_in(*typed)
    assert refused.returncode == 2
    assert said.format(before=BEFORE, key=KEY, one=one, two=two) in refused.stderr
    with placed.opened() as engine:
        engine.is_turned = True
        assert engine.write(everything) == kept


def test_a_process_that_was_at_work_before_is_refused_soon(
    placed: Store, minerva_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It writes no plain text once the store is encrypted, and its reads are refused by name."""
    minerva_home.mkdir(exist_ok=True)
    with placed.opened() as engine:
        fill(engine, "r1")

        def at_work(_: float) -> None:
            """Write as the process that knows no key, at the moment of the pause."""
            give_keys(monkeypatch, None)
            engine.is_turned = False
            with pytest.raises(StateError, match="MINERVA_STORAGE_KEY is not set"):
                fill(engine, "r2")
            give_keys(monkeypatch, new_key(1))
            engine.is_turned = True

        give_keys(monkeypatch, new_key(1))
        reencrypt(engine, find_artifacts(minerva_home), pause=at_work)
        assert rows(engine, runs.c.run_id) == [("r1",)]


def test_a_backup_holds_no_word_and_is_restored_with_the_key(
    minerva_home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    type_in: Callable[..., Any],
) -> None:
    """Without the key it is refused as the store is."""
    minerva_home.mkdir()
    give_keys(monkeypatch, new_key(1))
    with opened_engine(minerva_home / "state.db") as engine:
        plant(engine, minerva_home)
        before = told(engine)
    copy, restored = tmp_path / "copy", tmp_path / "restored"
    copy.mkdir()
    assert type_in("backup", copy / "store.tar").returncode == 0
    with tarfile.open(copy / "store.tar") as archive:
        archive.extractall(restored, filter="data")
    monkeypatch.setenv("MINERVA_HOME", str(restored))
    with opened_engine(restored / "state.db") as engine:
        assert told(engine) == before
        assert seen_kinds(engine, copy, restored) == set()
    assert type_in("doctor", "--this-is-the-store").returncode == 0
    assert type_in("doctor").returncode == 0
    give_keys(monkeypatch, None)
    unread = type_in("doctor").stdout
    assert "MINERVA_STORAGE_KEY is not set" in unread
    assert ("could not be read" in unread, "runs: 0" in unread) == (True, False)


def test_a_value_that_was_moved_or_changed_costs_its_row(
    placed: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is bound to its column, and to every bit."""
    give_keys(monkeypatch, new_key(1))
    with placed.opened() as engine:
        fill(engine, "r1", words="mine")
        fill(engine, "r2", words="other")
        move = text("UPDATE runs SET understood = task WHERE run_id = 'r1'")
        engine.write(lambda connection: connection.execute(move))
        found = dict(rows(engine, runs.c.run_id, runs.c.understood))
        assert "mine" not in str(found["r1"])
        assert "mine" in str(dict(rows(engine, runs.c.run_id, runs.c.task))["r1"])


def test_langgraph_encrypts_by_the_same_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host's checkpointer takes them as a cipher."""
    give_keys(monkeypatch, new_key(1))
    kind, data = EncryptedSerializer(keyring()).dumps_typed({"a": word("state")})
    assert word("state").encode() not in data
    give_keys(monkeypatch, new_key(2), new_key(1))
    assert EncryptedSerializer(keyring()).loads_typed((kind, data)) == {"a": word("state")}
    give_keys(monkeypatch, new_key(2))
    with pytest.raises(StateError, match=r"MINERVA_STORAGE_KEY_BEFORE"):
        EncryptedSerializer(keyring()).loads_typed((kind, data))
    whole = keyring().encrypt(b"x")[1]
    with pytest.raises(ValueError, match="was changed"):
        keyring().decrypt("minerva", whole[:-1] + bytes([whole[-1] ^ 1]))


def forms(engine: Engine) -> set[bytes]:
    """Return by which keys the tasks of the runs are encrypted."""
    kept = engine.read(everything, empty=list[Any]())[0]
    return {bytes(row.task)[1:9] for row in kept}


@pytest.mark.small("sqlite")
@pytest.mark.processes
def test_a_store_that_was_half_turned_by_a_kill_is_read_and_finished(
    placed: Store, minerva_home: Path, monkeypatch: pytest.MonkeyPatch, type_in: Callable[..., Any]
) -> None:
    """With both keys all of it can be read; the same command finishes it."""
    give_keys(monkeypatch, new_key(1))
    with placed.opened() as engine:
        plant(engine, minerva_home)
        for number in range(150):
            fill(engine, f"r{number}", thread=f"t{number}")
        before = told(engine)
    give_keys(monkeypatch, new_key(2), new_key(1))
    command = (Path(sys.executable).with_name("minerva"), "encrypt")
    with placed.opened() as engine, copies.Popen(command, stdout=subprocess.PIPE) as process:
        engine.is_turned = True  # it looks before the command has begun
        while len(forms(engine)) == 1:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        engine.is_turned = False
        assert len(forms(engine)) == 2
        assert told(engine) == before
    assert "minerva encrypt" in type_in("doctor").stdout
    give_keys(monkeypatch, new_key(2))
    assert "set MINERVA_STORAGE_KEY_BEFORE to the key" in type_in("waiting").stderr
    give_keys(monkeypatch, new_key(2), new_key(1))
    assert type_in("encrypt").returncode == 0
    give_keys(monkeypatch, new_key(2))
    with placed.opened() as engine:
        assert len(forms(engine)) == 1
        assert told(engine) == before
        assert seen_kinds(engine, minerva_home) == set()


def test_contents_in_the_database_are_turned_too(
    placed: Store, minerva_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a plain content begins with, and whichever host has its file."""
    place = find_artifacts(minerva_home, "database")
    plain = [Content.of_bytes(data) for data in (b"\x02" + b"y" * 60, b"text", b"")]
    with placed.opened() as engine:
        for content in plain:
            place.store(engine).write(content)
        place.store(engine).save([content.sha256 for content in plain])
        for key, before in ((1, ()), (2, (1,)), (None, (2,))):
            give_keys(monkeypatch, new_key(key) if key else None, *map(new_key, before))
            reencrypt(engine, place, to_plain=key is None, pause=lambda _: None)
            shutil.rmtree(place.folder)
            kept = rows(engine, contents.c.content)
            assert ((b"text",) in kept) is (key is None)
            for content in plain:
                assert place.store(engine).read_bytes(content.sha256) == content.data
                file = (place.folder / content.sha256).read_bytes()
                assert (file == content.data) is (key is None)
