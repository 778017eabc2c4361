"""Indexing: what is read, what is reported, what is kept from run to run."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import copies
import pytest

from minerva_insilico.core.facts import readable_files
from minerva_insilico.core.facts.errors import (
    UnreadableRootError,
    UnreadableSourceError,
    UnusableIndexError,
    UnwritableIndexError,
)
from minerva_insilico.core.facts.unread import MAX_BYTES
from minerva_insilico.core.index import indexer, store
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.index.indexer import ReadLimits, WriterLock, index_tree
from minerva_insilico.core.index.tally import Failed

Write = Callable[[str, Mapping[str, str | bytes]], Path]


def test_a_file_that_does_not_parse_costs_only_itself(pkg: Path) -> None:
    """B1: three of four files are indexed; the fourth is named with its line and error."""
    found = index_tree(pkg)

    assert (found.files, found.parsed) == (4, 3)
    assert found.failed == (Failed("d.py", "syntax", "SyntaxError: invalid syntax", 4),)


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
        "cycle": "link",
        "file.py": "link",
        "folder": "link",
    }
    assert b"CANARY" not in found.database.read_bytes()


@pytest.mark.parametrize("path", ["../secret/key.py", "/etc/hosts", "", "folder/key.py"])
def test_a_path_that_leaves_the_root_is_refused(write: Write, tmp_path: Path, path: str) -> None:
    """Even if the tree changed under our feet, or somebody forged the path."""
    write("secret", {"key.py": "SECRET = 1\n"})
    root = write("tree", {"ok.py": "x = 1\n"})
    (root / "folder").symlink_to(tmp_path / "secret")

    with pytest.raises(UnreadableSourceError):
        readable_files.read_source(root, path)


def test_pipes_and_huge_files_are_reported_and_not_opened(write: Write) -> None:
    """A pipe would block the run for ever, a huge file would fill the memory."""
    root = write("tree", {"ok.py": "x = 1\n"})
    os.mkfifo(root / "pipe.py")
    with (root / "huge.py").open("wb") as file:
        file.truncate(MAX_BYTES + 1)

    found = index_tree(root)

    assert (found.files, found.parsed) == (1, 1)
    assert {item.path: item.reason for item in found.skipped} == {
        "huge.py": "too_large",
        "pipe.py": "not_regular",
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
    assert [item.reason for item in found.skipped] == ["not_text_name"]


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
    name = found.database.stem
    assert {path.name for path in found.database.parent.iterdir()} == {
        f"{name}.db",
        f".{name}.lock",
    }


@pytest.mark.small(2)
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
    late = index_tree(pkg, limits=ReadLimits(cpu_seconds_a_tree=-1))
    later = index_tree(pkg)

    assert late.parsed == 0
    assert {item.error for item in late.failed} == {
        "TimeoutError: the -1 s of CPU time for the tree are used up"
    }
    assert (later.read, later.parsed) == (4, 3)


def test_two_processes_index_one_tree_at_once(write: Write, minerva_home: Path) -> None:
    """Each publishes a whole index; none fails, none mixes rows, no rest is left."""
    sources = {f"m{number}.py": f"def f{number}(): return {number}\n" for number in range(60)}
    root = write("tree", sources)
    code = (
        "import sys; from pathlib import Path\n"
        "from minerva_insilico.core.index.indexer import index_tree\n"
        "found = index_tree(Path(sys.argv[1])); print(found.files, found.parsed)"
    )
    running = [
        copies.Popen([sys.executable, "-c", code, str(root)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]

    assert [process.communicate()[0].strip() for process in running] == ["60 60"] * 3
    found = index_tree(root)
    assert (found.read, found.parsed) == (0, 60)
    with Index(found.database) as index:
        rows = index.connection.execute("SELECT count(*), count(DISTINCT name) FROM symbols")
        assert rows.fetchone() == (120, 120)
    assert not list((minerva_home / "insilico").glob("*staged*"))


SLOW = b"x = f'" + b"{a}" * 80_000 + b"'"
START = (
    "import sys; from pathlib import Path\n"
    "from minerva_insilico.core.index.indexer import ReadLimits, index_tree\n"
    "index_tree(Path(sys.argv[1]), limits=ReadLimits(seconds_a_commit=0, processes=1))"
)


@pytest.mark.parametrize("signal_", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_was_ended_is_gone_on_with(
    write: Write, minerva_home: Path, signal_: signal.Signals
) -> None:
    """Nothing half-written is published; what was parsed before is not parsed again."""
    sources: dict[str, str | bytes] = {f"m{n}.py": f"def f{n}(): ...\n" for n in range(8)}
    root = write("tree", {**sources, "z.py": SLOW})
    process = copies.Popen(
        [sys.executable, "-c", START, str(root)], stderr=subprocess.DEVNULL, start_new_session=True
    )
    folder = minerva_home / "insilico"
    wait_until(lambda: _staged_files(folder) == len(sources))
    process.send_signal(signal_)
    process.wait()

    assert not list(folder.glob("*.db"))
    (root / "z.py").write_text("z = 1\n")
    found = index_tree(root)
    assert (found.read, found.unchanged, found.parsed) == (1, 8, 9)
    assert not list(folder.glob("*staged*"))


def _staged_files(folder: Path) -> int:
    """Count the files that a run has committed so far."""
    for staged in folder.glob("*.staged"):
        with closing(sqlite3.connect(f"{staged.as_uri()}?mode=ro", uri=True)) as connection:
            try:
                return int(connection.execute("SELECT count(*) FROM files").fetchone()[0])
            except sqlite3.Error:  # it is being made
                return 0
    return 0


def wait_until(is_so: Callable[[], bool]) -> None:
    """Ask until it is so."""
    while not is_so():
        time.sleep(0.02)


def test_a_run_between_two_steps_of_another_does_its_work(pkg: Path) -> None:
    """A worker may be stopped between its nodes; what it goes on with is published by then."""
    staged = indexer.parse(indexer.scan(pkg))
    (pkg / "e.py").write_text("y = 1\n")
    other = index_tree(pkg)

    found = indexer.publish(staged)

    assert (other.read, other.files) == (1, 5)
    assert (found.files, found.parsed) == (5, 4)


def test_who_waits_too_long_says_for_whom(pkg: Path) -> None:
    """A second indexer does not wait for ever."""
    database = index_tree(pkg).database
    (pkg / "a.py").write_text("def load(p, q): ...\n")

    with (
        WriterLock(database, seconds=1),
        pytest.raises(UnwritableIndexError, match="another process is indexing the same tree"),
    ):
        index_tree(pkg, limits=ReadLimits(seconds_to_wait=0.1))


def test_what_a_crash_of_the_machine_left_is_not_built_on(pkg: Path) -> None:
    """A staged file whose pages are torn is thrown away."""
    database = index_tree(pkg).database
    staged = store.staged_path(database)
    content = database.read_bytes()
    staged.write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))
    (pkg / "a.py").write_text("def load(p, q): ...\n")

    found = index_tree(pkg)

    assert (found.read, found.parsed) == (1, 3)
    assert not staged.exists()


def test_gitignore_is_heeded_unless_told_otherwise(write: Write) -> None:
    """Nested files too: the innermost that speaks of a path decides, as git does it."""
    root = write(
        "tree",
        {
            ".gitignore": "build/\n*_gen.py\n/only_here.py\n",
            "a.py": "x = 1\n",
            "b_gen.py": "x = 1\n",
            "build/c.py": "x = 1\n",
            "only_here.py": "x = 1\n",
            "sub/.gitignore": "!kept_gen.py\nlocal.py\n",
            "sub/kept_gen.py": "x = 1\n",
            "sub/local.py": "x = 1\n",
            "sub/only_here.py": "x = 1\n",
            "local.py": "x = 1\n",
        },
    )

    heeded = indexer.scan(root)
    all_ = indexer.scan(root, heeds_ignore=False)

    assert set(heeded.files) == {"a.py", "local.py", "sub/kept_gen.py", "sub/only_here.py"}
    assert heeded.ignored == 4
    assert (len(all_.files), all_.ignored) == (8, 0)


def test_a_gitignore_of_a_stranger_takes_no_time(write: Write) -> None:
    """A dozen of asterisks would keep a backtracking engine busy for years."""
    rule = "*a" * 60 + "b"
    root = write("tree", {".gitignore": f"{rule}\n[z-\n***/**/x\n", f"{'a' * 240}.py": "x = 1\n"})

    assert len(indexer.scan(root).files) == 1


def test_ignore_rules_that_are_links_are_not_followed(write: Write, tmp_path: Path) -> None:
    """What lies outside of the root decides nothing inside."""
    root = write("tree", {"a.py": "x = 1\n"})
    (tmp_path / "rules").write_text("*.py\n")
    (root / ".gitignore").symlink_to(tmp_path / "rules")

    found = indexer.scan(root)

    assert found.files == ("a.py",)
    assert "link" in {item.reason for item in found.skipped if item.path == ".gitignore"}


def test_other_languages_and_documents_are_counted_apart(write: Write) -> None:
    """Python's counts stay Python's; what has no grammar is searched as text."""
    root = write(
        "tree",
        {
            "a.py": "x = 1\n",
            "B.java": "class B { int count(int a) { return a; } }\n",
            "README.md": "# Wards\n\nHow to open a ward.\n",
        },
    )

    found = index_tree(root)

    assert (found.files, found.parsed) == (1, 1)
    counts = {item.language: item.files for item in found.languages}
    assert counts == {"python": 1, "java": 1, "markdown": 1}
