"""Limits count CPU time, and what a limit keeps out is said first, and by the exit code."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from minerva_insilico import InsilicoTeam
from minerva_insilico.commands.code import app
from minerva_insilico.core.facts.unread import MAX_BYTES
from minerva_insilico.core.index.indexer import ReadLimits, index_tree
from minerva_insilico.core.parsing.parser import Failure, Parser
from minerva_platform.testing import ScriptedRouter

Write = Callable[[str, Mapping[str, str | bytes]], Path]

SLOW = b"x = f'" + b"{a}" * 200_000 + b"'"
LARGE = b"#" * (MAX_BYTES + 1)


def test_a_slow_source_is_read_again_alone_and_its_cpu_time_counted() -> None:
    """What the process read before may not decide; the second try is what counts."""
    with Parser(seconds=0.3) as parser:
        first = parser.ask({"do": "read", "path": "a.py"}, b"x = 1\n")
        before = parser.cpu_seconds
        slow = parser.ask({"do": "read", "path": "slow.py"}, SLOW)

    assert not isinstance(first, Failure)
    assert before < 0.3
    assert slow == Failure("time", "0.3", None, lasting=False)
    assert parser.cpu_seconds == pytest.approx(before + 2 * 0.3)


def test_the_limit_holds_where_the_signal_was_ignored(write: Write) -> None:
    """A parent that ignores SIGPROF hands that on; the parsing process undoes it."""
    root = write("tree", {"slow.py": SLOW})
    code = (
        "import signal, sys; from pathlib import Path\n"
        "from minerva_insilico.core.index.indexer import ReadLimits, index_tree\n"
        "signal.signal(signal.SIGPROF, signal.SIG_IGN)\n"
        "found = index_tree(Path(sys.argv[1]), limits=ReadLimits(cpu_seconds_a_file=0.3))\n"
        "print(found.failed[0].reason)"
    )
    done = subprocess.run([sys.executable, "-c", code, root], capture_output=True, check=True)

    assert done.stdout == b"time\n"


@contextmanager
def busy(loops: int) -> Generator[None]:
    """Keep some processes busy, and end each of them."""
    started = [
        subprocess.Popen([sys.executable, "-IS", "-c", "while True: pass"]) for _ in range(loops)
    ]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def facts(database: Path) -> list[tuple[object, ...]]:
    """Return every row of the tables that answers are made of."""
    tables = "files symbols outline bases models calls imports uses sections symbol_words"
    with closing(sqlite3.connect(database)) as connection:
        return [
            row
            for table in tables.split()
            for row in connection.execute(f"SELECT * FROM {table}")  # noqa: S608  # named above
        ]


def test_a_busy_machine_gives_the_same_index(write: Write, tmp_path: Path) -> None:
    """The small form of `make bench ARGS=stdlib_index`: alone, and beside two busy loops."""
    package = Path(json.__file__).parent
    sources = {path.name: path.read_bytes() for path in package.glob("*.py")}
    root = write("json", {**sources, "slow.py": SLOW, "newer.py": "type X = int\n"})
    limits = ReadLimits(cpu_seconds_a_file=0.3)

    idle = index_tree(root, home=tmp_path / "idle", limits=limits)
    with busy(2):
        loaded = index_tree(root, home=tmp_path / "loaded", limits=limits)

    assert [item.path for item in idle.limited_files] == ["slow.py"]
    assert facts(idle.database) == facts(loaded.database)


@pytest.fixture
def cut(write: Write) -> Path:
    """Give a tree one of whose files is larger than what is read."""
    return write("cut", {"a.py": "def load(p): return p.status\n", "large.py": LARGE})


SAID = f"not in the index because of a limit: large.py (it is larger than {MAX_BYTES:,} bytes)"


@pytest.mark.parametrize(
    "arguments",
    [
        ("index",), ("search", "load"), ("uses", "status"), ("imports",), ("summary",),
        ("complexity",), ("docs",),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_command_says_first_what_a_limit_kept_out_and_ends_with_5(
    cut: Path, arguments: tuple[str, ...]
) -> None:
    """The first line on standard output, before anything that was found."""
    command, *rest = arguments

    done = CliRunner().invoke(app, [command, str(cut), *rest])

    assert done.exit_code == 5
    assert done.stdout.splitlines()[0] == f"Incomplete: 1 file is {SAID}"
    assert len(done.stdout.splitlines()) > 1


def test_json_says_so_as_its_first_key(cut: Path) -> None:
    """Standard output stays one object; people are told on the other stream."""
    done = CliRunner().invoke(app, ["search", str(cut), "load", "--json"])

    found = json.loads(done.stdout)
    assert done.exit_code == 5
    assert next(iter(found)) == "incomplete"
    assert (found["incomplete"][0]["path"], found["incomplete"][0]["reason"]) == (
        "large.py",
        "size",
    )
    assert SAID in done.stderr


def test_what_a_check_finds_goes_before_what_is_missing(cut: Path) -> None:
    """A cycle is a cycle, whatever was not read."""
    (cut / "b.py").write_text("import c\n")
    (cut / "c.py").write_text("import b\n")

    done = CliRunner().invoke(app, ["imports", str(cut), "--cycles", "--check"])

    assert done.exit_code == 3
    assert done.stdout.startswith("Incomplete: ")


@pytest.mark.small(2)
@pytest.mark.parametrize(
    ("member", "request_", "first"),
    [
        ("ast_parser_agent", "index it", "**Incomplete:** 1 file is not in the index"),
        ("ast_parser_agent", "순환 참조가 있나요?", "**불완전한 답입니다.** 한도 때문에"),
        ("code_search_agent", "load를 누가 호출하나?", "**불완전한 답입니다.** 한도 때문에"),
        ("docstring_agent", "docstring coverage?", "**Incomplete:** 1 file is not in the index"),
    ],
)
def test_an_answer_says_first_what_a_limit_kept_out(
    cut: Path, member: str, request_: str, first: str
) -> None:
    """Each worker that speaks says so, in the person's language, and the file is named."""
    run = InsilicoTeam(router=ScriptedRouter(member)).invoke(
        {"request": request_, "attachments": [str(cut)]}
    )

    assert run["answer"].startswith(first)
    assert {use["name"]: use["status"] for use in run["files"]}["large.py"] == "unreadable"


def test_a_source_that_is_wrong_makes_no_answer_incomplete(pkg: Path) -> None:
    """`d.py` does not parse: that is its own fault, and the exit code says nothing of it."""
    done = CliRunner().invoke(app, ["callers", str(pkg), "load"])

    assert done.exit_code == 0
    assert "Incomplete" not in done.stdout
