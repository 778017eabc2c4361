"""Indexing: what is read, what is reported, what is kept from run to run."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from minerva_insilico.core import boundary, indexer, store
from minerva_insilico.core.fault import (
    UnreadableRootError,
    UnreadableSourceError,
    UnusableIndexError,
    UnwritableIndexError,
)
from minerva_insilico.core.index import Index
from minerva_insilico.core.indexer import Failed, Limits, index_tree

Write = Callable[[str, Mapping[str, str | bytes]], Path]


def test_a_file_that_does_not_parse_costs_only_itself(pkg: Path) -> None:
    """B1: three of four files are indexed; the fourth is named with its line and error."""
    found = index_tree(pkg)

    assert (found.files, found.parsed) == (4, 3)
    assert found.failed == (Failed("d.py", "SyntaxError: invalid syntax", 4),)


def test_only_a_changed_file_is_parsed_again(pkg: Path) -> None:
    """B7: content decides, so a failing file is not tried again either."""
    index_tree(pkg)
    (pkg / "a.py").write_text("def load(p, q): ...\n")

    again = index_tree(pkg)

    assert (again.read, again.unchanged, again.files, again.parsed) == (1, 3, 4, 3)


def test_an_unchanged_tree_leaves_the_database_as_it_is(pkg: Path) -> None:
    """A new time stamp is no change; whoever has the file open keeps reading it."""
    before = index_tree(pkg)
    content = before.database.read_bytes()
    os.utime(pkg / "a.py", (1, 1))

    after = index_tree(pkg)

    assert (after.read, after.unchanged) == (0, 4)
    assert after.database.read_bytes() == content


def test_a_removed_file_leaves_the_index(pkg: Path) -> None:
    """Its symbols must not be found any more."""
    index_tree(pkg)
    (pkg / "c.py").unlink()

    found = index_tree(pkg)

    assert (found.files, found.removed) == (3, 1)
    with Index(found.database) as index:
        rows = index.connection.execute("SELECT count(*) FROM symbols WHERE name = 'T'")
        assert rows.fetchone() == (0,)


def test_nothing_outside_the_root_is_read(write: Write, tmp_path: Path) -> None:
    """Links to files and folders, and link cycles, are reported and not followed."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.py").write_text("SECRET = 'CANARY'\n")
    root = write("tree", {"ok.py": "x = 1\n"})
    (root / "file.py").symlink_to(tmp_path / "secret" / "key.py")
    (root / "folder").symlink_to(tmp_path / "secret")
    (root / "cycle").symlink_to(root)

    found = index_tree(root)

    assert found.files == 1
    assert {item.path: item.reason for item in found.skipped} == {
        "cycle": boundary.LINK,
        "file.py": boundary.LINK,
        "folder": boundary.LINK,
    }
    assert b"CANARY" not in found.database.read_bytes()


@pytest.mark.parametrize("path", ["../secret/key.py", "/etc/hosts", "", "folder/key.py"])
def test_a_path_that_leaves_the_root_is_refused(write: Write, tmp_path: Path, path: str) -> None:
    """Even if the tree changed under our feet, or somebody forged the path."""
    write("secret", {"key.py": "SECRET = 1\n"})
    root = write("tree", {"ok.py": "x = 1\n"})
    (root / "folder").symlink_to(tmp_path / "secret")

    with pytest.raises(UnreadableSourceError):
        boundary.read_source(root, path)


def test_pipes_and_huge_files_are_reported_and_not_opened(write: Write) -> None:
    """A pipe would block the run for ever, a huge file would fill the memory."""
    root = write("tree", {"ok.py": "x = 1\n"})
    os.mkfifo(root / "pipe.py")
    with (root / "huge.py").open("wb") as file:
        file.truncate(boundary.MAX_BYTES + 1)

    found = index_tree(root)

    assert (found.files, found.parsed) == (1, 1)
    assert {item.path: item.reason for item in found.skipped} == {
        "huge.py": boundary.TOO_LARGE,
        "pipe.py": boundary.NOT_REGULAR,
    }


def test_a_file_that_turns_into_a_pipe_is_not_opened(write: Write) -> None:
    """Between the scan and the parse a tree may change."""
    root = write("tree", {"a.py": "x = 1\n", "b.py": "y = 1\n"})
    scan = indexer.scan(root)
    (root / "a.py").unlink()
    os.mkfifo(root / "a.py")

    found = indexer.publish(indexer.parse(scan))

    assert (found.files, found.parsed, found.read) == (1, 1, 1)
    assert [item.path for item in found.skipped] == ["a.py"]


def test_a_name_that_is_not_text_is_reported(write: Write) -> None:
    """Such a name could not be stored, and must not stop the others."""
    root = write("tree", {"ok.py": "x = 1\n"})
    try:
        Path(os.fsdecode(os.fsencode(root) + b"/\xff.py")).write_text("x = 1\n")
    except OSError:
        return  # this file system refuses such names itself

    found = index_tree(root)

    assert found.files == 1
    assert [item.reason for item in found.skipped] == [boundary.NOT_TEXT_NAME]


def test_environments_and_caches_are_no_sources_of_the_project(write: Write) -> None:
    """Otherwise every answer drowns in other people's code."""
    root = write(
        "tree",
        {
            "ok.py": "x = 1\n",
            ".venv/lib/a.py": "x = 1\n",
            "env/pyvenv.cfg": "",
            "env/lib/a.py": "x = 1\n",
            "__pycache__/b.py": "x = 1\n",
        },
    )

    assert index_tree(root).files == 1


def test_a_root_that_is_no_directory_says_what_to_give(tmp_path: Path) -> None:
    """The message names the path and the way out."""
    file = tmp_path / "a.py"
    file.write_text("x = 1\n")

    with pytest.raises(UnreadableRootError, match=r"is not a directory; give the directory"):
        index_tree(file)
    with pytest.raises(UnreadableRootError, match="does not exist"):
        index_tree(tmp_path / "nowhere")


def test_the_index_lies_under_minerva_home(pkg: Path, minerva_home: Path) -> None:
    """One database for each root, and nothing beside it once it is published."""
    found = index_tree(pkg)

    assert found.database.parent == minerva_home / "insilico"
    assert [path.name for path in found.database.parent.iterdir()] == [found.database.name]


@pytest.mark.parametrize("damage", ["not a database", "", "other format", "torn"])
def test_a_damaged_index_is_built_anew(pkg: Path, damage: str) -> None:
    """A database that cannot be trusted costs one full run, no more."""
    database = index_tree(pkg).database
    if damage == "other format":
        with closing(sqlite3.connect(database)) as connection, connection:
            connection.execute("UPDATE meta SET value = 'older' WHERE key = 'format'")
    elif damage == "torn":
        content = database.read_bytes()
        database.write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))
    else:
        database.write_text(damage)

    assert index_tree(pkg).parsed == 3


def test_damage_deep_inside_is_repaired_by_the_next_change(pkg: Path) -> None:
    """The scan reads only the list of files; a torn table shows when it is written."""
    database = index_tree(pkg).database
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DROP TABLE calls")
    (pkg / "a.py").write_text("def load(p, q): ...\n")

    found = index_tree(pkg)

    assert (found.files, found.parsed, found.read) == (4, 3, 4)


def test_reading_a_missing_index_names_the_worker_that_makes_one(tmp_path: Path) -> None:
    """The person reads which agent to call next."""
    with pytest.raises(
        UnusableIndexError, match="index the directory again with `ast_parser_agent`"
    ):
        Index(tmp_path / "none.db")


def test_a_home_that_cannot_be_written_is_named(pkg: Path, tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "home").write_text("")

    with pytest.raises(UnwritableIndexError, match="set MINERVA_HOME"):
        index_tree(pkg, home=tmp_path / "home")


def test_files_left_when_the_time_is_over_are_named_and_tried_again(pkg: Path) -> None:
    """A slow tree gives a partial index, and the next run goes on there."""
    late = index_tree(pkg, limits=Limits(seconds_a_tree=-1))
    later = index_tree(pkg)

    assert late.parsed == 0
    assert {item.error for item in late.failed} == {"TimeoutError: the tree took more than -1 s"}
    assert (later.read, later.parsed) == (4, 3)


def test_two_processes_index_one_tree_at_once(write: Write, minerva_home: Path) -> None:
    """Each publishes a whole index; none fails, none mixes rows, no rest is left."""
    sources = {f"m{number}.py": f"def f{number}(): return {number}\n" for number in range(60)}
    root = write("tree", sources)
    code = (
        "import sys; from pathlib import Path\n"
        "from minerva_insilico.core.indexer import index_tree\n"
        "found = index_tree(Path(sys.argv[1])); print(found.files, found.parsed)"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(root)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]

    assert [process.communicate(timeout=60)[0].strip() for process in running] == ["60 60"] * 3
    found = index_tree(root)
    assert (found.read, found.parsed) == (0, 60)
    with Index(found.database) as index:
        rows = index.connection.execute("SELECT count(*), count(DISTINCT name) FROM symbols")
        assert rows.fetchone() == (120, 120)
    assert len(list((minerva_home / "insilico").iterdir())) == 1


def test_a_staged_index_of_a_killed_process_is_removed_later(pkg: Path) -> None:
    """A killed process leaves a file that nobody reads; the next run an hour later cleans up."""
    database = index_tree(pkg).database
    left = database.parent / f".{database.stem}-killed.staged"
    shutil.copyfile(database, left)
    os.utime(left, (1, 1))
    (pkg / "a.py").write_text("def load(p, q): ...\n")

    index_tree(pkg)

    assert not left.exists()
    assert store.known_hashes(database).keys() == {"a.py", "b.py", "c.py", "d.py"}
