"""One bad file never ends a run: every command answers about the others."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from minerva_insilico import InsilicoTeam
from minerva_insilico.commands.code import app
from minerva_insilico.core.facts.errors import UnreadableRootError
from minerva_insilico.core.fields.usage import field_uses
from minerva_insilico.core.index import indexer
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.index.indexer import index_tree
from minerva_insilico.core.index.schema import TABLES
from minerva_insilico.core.index.tally import list_failed
from minerva_insilico.core.parsing.pool import ParsedFile
from minerva_platform import MinervaError
from minerva_platform.testing import ScriptedRouter

Write = Callable[[str, Mapping[str, str | bytes]], Path]

GOOD = {
    "good.py": "def load(p): return p.status\n",
    "use.py": "from good import load\n\n\nload(1)\n",
}

BAD: dict[str, bytes] = {
    "key.py": b'd = {"\\ud800": 1}\nd["\\udfff"]\n',
    "docstring.py": b'"""A \\ud800 module."""\n\n\ndef f(a="\\udc80"): raise E("\\ud800")\n',
    "log.py": b'import logging\n\nlogging.info("\\ud800 %s", patient.status)\n',
    "sql.py": b'Q = "SELECT \\ud800, status FROM T\\ud801"\n',
    "utf7.py": b'# coding: utf-7\nx = "+2AA-"\n',
    "escape.py": b'# coding: unicode_escape\nx = "\\ud800"\n',
    "rot13.py": b"# coding: rot13\nx = 1\n",
    "zlib.py": b"# coding: zlib\n",
    "undefined.py": b"# coding: undefined\n",
    "utf16.py": "x = 1\n".encode("utf-16"),
    "mark.py": b"\xef\xbb\xbf# coding: latin-1\n",
    "encoded.py": b'x = "\xed\xa0\x80"\n',
    "nul.py": b"x = 1\0\n",
    "nul_name.py": b'd = {"a\\0b": 1}\n"""doc \\0"""\n',
    "feeds.py": b"\x0cdef f():\n    pass\n\x0c\nclass A: pass\n",
    "returns.py": b"def f():\r    pass\r",
    "end.py": b"x = 1\n\x1a",
    "digits.py": b"x = 1" + b"0" * 5000 + b"\n",
    "hex.py": b"def f(a=0x" + b"f" * 6000 + b"): pass\n",
    "float.py": b"def f(a=1e999, b=1e999j): pass\n",
    "elifs.py": b"if a: pass\n" + b"elif a: pass\n" * 900,
    "calls.py": b"x = a" + b".b()" * 900 + b"\n",
    "name.py": b"def " + b"b" * 100_000 + b"(): pass\n",
    "string.py": b'd = {"' + b"k" * 1_000_000 + b'": 1}\n',
    "newer.py": b"type X = int\nx = a" + b".b" * 500 + b"\n",
    "old.py": b'print "x"\n',
    "a\nb.py": b"def w(): pass\n",
    "`tick`.py": b"def (:\n",
    "a" * 250 + ".py": b"x = 1\n",
    "title.md": b"# \xed\xa0\x80 title\n\0\n",
    "title.rst": b"\xff\xfe\n====\n",
    "f.js": b"function \xff\xfe() {}\n\0",
    "t.sql": b'CREATE TABLE "\xff" (a int);',
    "setup.py": b'setup(name="\\ud800", install_requires=["\\ud800", "a"])\n',
    "pyproject.toml": b"[project]\ndependencies = " + b"[" * 5000 + b"]" * 5000,
    "setup.cfg": b"[options\n\xff",
    "requirements.txt": b"\xff\xfea\0\n-r nowhere.txt\n-r ../../etc/passwd\n",
    "Pipfile": b'[packages]\n"\\ud800" = "*"\n',
    ".gitignore": b"\xff\n[\n!!\n",
}


@pytest.fixture
def tree(write: Write) -> Path:
    """Give two good sources among what is hostile: content, names, pipes, links, depth."""
    root = write("tree", {**GOOD, **BAD})
    os.mkfifo(root / "pipe.py")
    os.mkfifo(root / "requirements-pipe.txt")
    (root / "loop.py").symlink_to("loop.py")
    (root / "around").symlink_to(".")
    (root / "zero.py").symlink_to("/dev/zero")
    (root / "folder.py").mkdir()
    Path(os.fsdecode(os.fsencode(root) + b"/\xff.py")).write_text("x = 1\n")
    deep = os.open(root, os.O_RDONLY)
    for _ in range(30):  # deeper than any path may be long
        os.mkdir("d" * 200, dir_fd=deep)
        deeper = os.open("d" * 200, os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = deeper
    os.close(deep)
    return root


COMMANDS = (
    "index --json", "search load", "search x --mode text", "search \udcff --mode text --regex",
    "callers load", "callers f --callees", "uses status", "uses \udcff", "imports", "imports good",
    "imports --requirements --json", "outline/docstring.py --json", "summary", "summary docstring",
    "complexity --by-file", "docs --json",
)  # fmt: skip


def test_every_command_answers_beside_hostile_files(tree: Path) -> None:
    """None ends with a traceback; what is refused is refused with a sentence."""
    for line in COMMANDS:
        command, *options = line.split(" ")
        command, _, file = command.partition("/")
        done = CliRunner().invoke(app, [command, str(tree / file), *options])

        assert isinstance(done.exception, SystemExit | MinervaError | None), (line, done.exc_info)
        assert done.exit_code == 0 or "\udcff" in line, (line, done.output)
        done.output.encode()
    callers = CliRunner().invoke(app, ["callers", str(tree), "load"])
    assert callers.stdout.startswith("use.py:4: exact")


@pytest.mark.small(1)
@pytest.mark.parametrize(
    ("member", "request_"),
    [("code_search_agent", "status를 쓰는 곳은?"), ("docstring_agent", "docstring 커버리지")],
)
def test_every_worker_answers_beside_hostile_files(tree: Path, member: str, request_: str) -> None:
    """What leaves a worker is plain JSON, whatever the files hold; each of them is named."""
    run = InsilicoTeam(router=ScriptedRouter(member)).invoke(
        {"request": request_, "attachments": [str(tree)]}
    )

    assert (run["status"], run["bypassed"]) == ("ok", [])
    told = {use["name"]: use["status"] for use in run["files"]}
    assert (told["good.py"], told["nul.py"]) == ("used", "not_understood")
    assert (told["pipe.py"], told["loop.py"]) == ("unreadable", "unreadable")


def test_half_a_surrogate_pair_is_spelled_as_in_the_source(
    write: Write, open_index: Callable[[Path], Index]
) -> None:
    """It is found by the characters that stand there."""
    index = open_index(write("tree", {"key.py": BAD["key.py"]}))

    found = field_uses(index, ["\\ud800"])

    assert [(use.path, use.line) for use in found.items] == [("key.py", 1)]


@pytest.mark.parametrize("turned", ["gone", "folder", "pipe"])
def test_what_changes_between_the_scan_and_the_parser_is_named(write: Write, turned: str) -> None:
    """A file that goes, or turns into what is not read, costs only itself."""
    root = write("tree", {**GOOD, "later.py": "x = 1\n"})
    found = indexer.scan(root)
    (root / "later.py").unlink()
    if turned == "folder":
        (root / "later.py").mkdir()
    elif turned == "pipe":
        os.mkfifo(root / "later.py")

    indexed = indexer.publish(indexer.parse(found))

    assert [item.path for item in indexed.skipped] == ["later.py"]
    assert indexed.parsed == 2


def test_facts_that_sqlite_refuses_cost_only_their_file() -> None:
    """Whatever a later rule notes, a value beyond SQLite's is a failure of the file."""
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(TABLES)
        facts = {"language": "python", "is_parsed": 1, "lines": 2**70}
        indexer._store(connection, ParsedFile("a.py", "python", "0", facts), [])  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # no source is known to give such facts

        (failed,) = list_failed(connection)
    connection.close()

    assert (failed.path, failed.reason) == ("a.py", "storage")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("loop", r"cannot be read \(Too many levels"),
        ("tre", r"does not exist \(nearest: `.*tree`\)"),
        ("a\0b", "has a name that is not UTF-8 text"),
        ("\udcff", "has a name that is not UTF-8 text"),
    ],
)
def test_a_root_that_cannot_be_read_is_refused_by_name(write: Write, name: str, said: str) -> None:
    """A loop of links, a name that nearly exists, and names that no file may have here."""
    root = write("tree", GOOD)
    (root.parent / "loop").symlink_to("loop")
    if name == "\udcff":
        shutil.copytree(root, root.parent / name)

    with pytest.raises(UnreadableRootError, match=said):
        index_tree(root.parent / name)
