"""A full disk, missing locks, a home that cannot be written: a sentence each, nothing done twice.

`make chaos` has the same on file systems that are full and read-only: root, or a user namespace,
mounts them.
"""

import os
import shlex
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from forms import IS_WHOLE
from refused import begun, check, commands_about, typed

from minerva_platform.storage.engine.refusals import remedy_of

MODES = ("full", "no_locks", "read_only")
pytestmark = [pytest.mark.usefixtures("trial_alone"), pytest.mark.slow]


@pytest.mark.small
@pytest.mark.parametrize("mode", MODES)
def test_each_command_says_what_is_wrong_and_what_to_do(
    invoke: Any, tmp_path: Path, minerva_home: Path, mode: str
) -> None:
    """Once the system lets it, the run goes on, and what was approved is done once.

    `make test` types each command in one of the modes.
    """
    run_id = begun(invoke)
    before = (minerva_home / "state.db").read_bytes()
    if mode == "read_only":
        for path in (*minerva_home.iterdir(), minerva_home):
            path.chmod(0o500 if path.is_dir() else 0o400)
    each = commands_about(run_id, tmp_path)
    first = MODES.index(mode)
    few = each if IS_WHOLE else {name: each[name] for name in [*each][first :: len(MODES)]}
    told = typed(mode, few, tmp_path)
    for path in (minerva_home, *minerva_home.iterdir()):
        path.chmod(0o700 if path.is_dir() else 0o600)

    check(told, mode)
    assert (minerva_home / "state.db").read_bytes() == before
    assert not (tmp_path / "paid").exists()
    assert invoke("approve", run_id).exit_code == 0
    assert (tmp_path / "paid").read_text(encoding="utf-8") == "Kim 12000\n"
    assert invoke("worker", "--until-empty").exit_code == 0
    assert invoke("doctor").exit_code == 0


@pytest.mark.whole
@pytest.mark.parametrize("refuses", ["full_disk", "read_only"])
def test_a_file_system_that_refuses_costs_a_sentence(
    invoke: Any, tmp_path: Path, minerva_home: Path, refuses: str
) -> None:
    """Nothing is done in it, and nothing is half there afterwards.

    Where SQLite has no room for the memory that processes share, it says "disk I/O error" alone.
    """
    run_id = begun(invoke)
    shutil.copytree(minerva_home, tmp_path / "kept")
    home = shlex.quote(str(minerva_home))
    then = f"mount -o remount,ro {home}"
    if refuses == "full_disk":
        then = f"dd if=/dev/zero of={home}/fill bs=1k 2>&-; :"
    mounts = f"mount -t tmpfs -o size=8m tmpfs {home} && cp -a kept/. {home} && {{ {then}; }}"
    apart = ["unshare", "-m" if os.geteuid() == 0 else "-rm", "sh", "-c"]
    before = [*apart, f'{mounts} && exec "$@"', "sh"]

    told = typed("plain", commands_about(run_id, tmp_path), tmp_path, before=before)

    check(told, refuses)
    assert not (tmp_path / "paid").exists()
    assert invoke("approve", run_id).exit_code == 0
    assert (tmp_path / "paid").read_text(encoding="utf-8") == "Kim 12000\n"


@pytest.mark.parametrize("code", [sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_CANTOPEN])
def test_a_vague_refusal_on_a_full_disk_says_that_it_is_full(tmp_path: Path, code: int) -> None:
    """On another one it does not. The file system of /proc has no room."""
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code

    assert remedy_of(error, Path("/proc/state.db")).startswith("Its disk is full")
    assert "is full" not in remedy_of(error, tmp_path / "state.db")
    assert "is full" not in remedy_of(error, tmp_path / "gone" / "state.db")
