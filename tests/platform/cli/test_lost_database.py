"""A database that is empty or gone beside what tells of its runs is never begun anew in silence."""

import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("with_trial")

COMMANDS: dict[str, tuple[str, ...]] = {
    "ask": ("ask", "pay", "--team", "trial"),
    "approve": ("approve", "r1"),
    "runs": ("runs",),
    "waiting": ("waiting",),
    "worker": ("worker", "--until-empty"),
    "backup": ("backup", "store.tar"),
    "forget": ("forget", "t", "--yes"),
    "restored": ("doctor", "--restored"),
}


@pytest.fixture
def lost(invoke: Any, minerva_home: Path, request: pytest.FixtureRequest) -> Path:
    """Give a home whose database was emptied, or removed, after a run was kept in it."""
    assert invoke("ask", "pay", "--team", "trial").exit_code == 4
    if request.param == "empty":
        (minerva_home / "state.db").write_bytes(b"")
        (minerva_home / "state.db.lock").unlink()  # as in a copy that left it out
    else:
        (minerva_home / "state.db").unlink()
    return minerva_home


@pytest.mark.small(1)
@pytest.mark.slow
@pytest.mark.parametrize("lost", ["empty", "gone"], indirect=True)
def test_each_command_says_what_is_wrong_and_makes_nothing(invoke: Any, lost: Path) -> None:
    """The doctor finds it; a word begins anew, and keeps what was left."""
    place, log = lost / "state.db", (lost / "state.db-wal")
    log.write_bytes(b"what was not in the database yet")
    before = place.exists()
    for name, words in COMMANDS.items():
        refused = invoke(*words)
        assert refused.exit_code != 0, name
        assert f"{place}, which is empty or gone, though runs were kept there" in refused.stderr
        assert "minerva doctor --this-is-the-store" in refused.stderr, name
    found = json.loads(invoke("doctor", "--json").stdout)
    assert [each["code"] for each in found["findings"]] == ["database_lost"]
    assert "tar -xof BACKUP.tar" in found["findings"][0]["type"]
    assert (before, log.read_bytes()[:8]) == (place.exists(), b"what was")
    assert not before or place.stat().st_size == 0

    assert "A new store begins" in invoke("doctor", "--this-is-the-store").stdout
    assert invoke("ask", "pay", "--team", "trial").exit_code == 4
    assert (lost / "state.damaged-1.db-wal").read_bytes()[:8] == b"what was"


def test_homes_that_never_had_a_database_begin_with_one(
    invoke: Any, tmp_path: Path, minerva_home: Path
) -> None:
    """One with records of runs that were not kept; one in which a process was killed too early."""
    (tmp_path / "configs").mkdir()
    settings = tmp_path / "configs" / "platform.yaml"
    settings.write_text("keep_state: false\n", encoding="utf-8")
    invoke("ask", "note it", "--team", "trial")
    assert (minerva_home / "runs.jsonl").stat().st_size
    assert not (minerva_home / "state.db.lock").exists()
    assert invoke("doctor").exit_code == 0
    (minerva_home / "state.db.lock").touch()
    (minerva_home / "state.db.new").write_bytes(b"half")
    settings.write_text("keep_state: true\n", encoding="utf-8")

    assert invoke("ask", "pay", "--team", "trial").exit_code == 4
    assert {path.name for path in minerva_home.glob("state.db*")} >= {"state.db", "state.db.lock"}
    assert not (minerva_home / "state.db.new").exists()
