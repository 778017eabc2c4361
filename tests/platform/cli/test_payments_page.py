"""The page about payments is true: its files, its commands and what they print."""

import importlib
import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import copies
import pytest

from minerva_observability import list_runs
from minerva_platform.testing import Reply, scripted_openai_server

PAGE = (Path(__file__).parents[3] / "platform" / "docs" / "payments.md").read_text("utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
TELLER = {
    "name": "teller",
    "version": "0.1.0",
    "entry-points": {"minerva.teams": {"teller": "teller:Teller"}},
}
MODULES = ("bank", "payments", "teller", "test_payments")


COMMANDS = """
import json, os, sys
from typer.testing import CliRunner
from minerva_platform.cli.main import app
for number, line in enumerate(sys.stdin):
    sys.modules.pop("teller", None)  # a command is a process of its own, with its connections
    os.environ["LANGCHAIN_OPENAI_TCP_KEEPIDLE"] = str(60 + number)
    done = CliRunner().invoke(app, json.loads(line), prog_name="minerva")
    print(json.dumps([done.exit_code, done.stdout, done.stderr]), flush=True)
"""
"""A process for commands that connect to a server, because their client never disconnects."""


class Said(NamedTuple):
    """What a command said."""

    exit_code: int
    stdout: str
    stderr: str


@contextmanager
def commands(folder: Path) -> Generator[Callable[..., Said]]:
    """Give what calls commands in a process of their own."""
    process = copies.Popen(
        [sys.executable, "-c", COMMANDS],
        env={**os.environ, "PYTHONPATH": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )

    def call(*arguments: str) -> Said:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(arguments) + "\n")
        process.stdin.flush()
        return Said(*json.loads(process.stdout.readline()))

    yield call
    process.communicate()


@dataclass
class Newcomer:
    """Somebody who types what the page says, block by block."""

    folder: Path
    home: Path
    invoke: Any
    capsys: pytest.CaptureFixture[str]
    said: str = ""
    codes: list[int] = field(default_factory=list[int])

    def read(self, *, until: str) -> None:
        """Do what each block says, up to the one that begins with `until`."""
        for language, block in self.blocks():
            if block.startswith(until):
                return
            match language:
                case "python" | "toml":
                    self.write(block)
                case "sh":
                    self.said = "".join(self.type(line) for line in block.splitlines())
                case _:
                    self.expect(block)

    def blocks(self) -> Iterator[tuple[str, str]]:
        """Yield the blocks that were not read yet."""
        while self.left:
            yield self.left[0]
            self.left.pop(0)

    left: list[tuple[str, str]] = field(default_factory=lambda: list(BLOCKS))

    def write(self, block: str) -> None:
        """Write the file that a block is; a script is run."""
        name = block.partition("\n")[0].removeprefix("# ")
        (self.folder / name).write_text(block, encoding="utf-8")
        if name == "pyproject.toml":
            install(self.folder, tomllib.loads(block)["project"])
        if name == "answer.py":
            runpy.run_path(str(self.folder / name))
            self.said = self.capsys.readouterr().out

    def type(self, line: str) -> str:
        """Type a command and return what it says."""
        command = line.removesuffix(" < /dev/null").replace("RUN", self.newest())
        variable, _, rest = command.partition(" minerva ")
        words = re.findall(r'"[^"]*"|\S+', rest or command.removeprefix("minerva "))
        arguments = [word.strip('"') for word in words]
        if rest:
            return self.killed(variable, arguments)
        done = self.invoke(*arguments)
        self.codes.append(done.exit_code)
        return f"{done.stdout}\n{done.stderr}\n"

    def killed(self, variable: str, arguments: list[str]) -> str:
        """Type a command with a variable, in a process that ends by SIGKILL."""
        name, _, value = variable.partition("=")
        done = copies.run(
            [
                sys.executable,
                "-c",
                "from minerva_platform.cli.main import main; main()",
                *arguments,
            ],
            env={**os.environ, name: value, "PYTHONPATH": str(self.folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        self.codes.append(done.returncode)
        return f"{done.stdout}\n{done.stderr}\n"

    def newest(self) -> str:
        """Return the id of the newest run."""
        runs = list_runs(self.home, limit=1).runs
        return runs[0].run_id if runs else "RUN"

    def expect(self, block: str) -> None:
        """Check that each line of a block was said, whatever the width of the terminal."""
        said = " ".join(self.said.split())
        for line in block.splitlines():
            assert " ".join(line.split()) in said, f"{line}\n\nis not in\n\n{self.said}"


def install(folder: Path, project: dict[str, Any]) -> None:
    """Do what `pip install -e .` does, as far as MINERVA looks."""
    made = folder / f"{project['name']}-{project['version']}.dist-info"
    made.mkdir()
    (made / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 1\n")
    points = project["entry-points"]["minerva.teams"]
    lines = [f"{name} = {place}" for name, place in points.items()]
    (made / "entry_points.txt").write_text("\n".join(["[minerva.teams]", *lines, ""]))


@pytest.fixture
def newcomer(
    tmp_path: Path,
    minerva_home: Path,
    invoke: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Iterator[Newcomer]:
    """Give somebody in an empty folder, to whom only the teams of the page are installed."""
    folder = tmp_path / "payments"
    (folder / "configs").mkdir(parents=True)
    (folder / "configs" / "platform.yaml").write_text("teams: [payments, teller]\n")
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    yield Newcomer(folder, minerva_home, invoke, capsys)
    for name in MODULES:
        sys.modules.pop(name, None)
    importlib.invalidate_caches()


def test_a_newcomer_pays_answers_and_survives_a_crash(newcomer: Newcomer) -> None:
    """Each block says what it says it says; the bank has each payment once."""
    (newcomer.folder / "configs" / "platform.yaml").write_text("teams: [payments]\n")
    newcomer.read(until="# teller.py")

    assert newcomer.codes == [0, 4, 0, 0, 0, 1, -9, 0, 0]
    paid = (newcomer.folder / "bank.json").read_text()
    assert re.findall(r'"(\d+ to \w+)"', paid) == [
        *("300 to Lee", "400 to Kim", "650 to Lee", "200 to Lee"),
    ]


def test_an_agent_with_a_model_asks_before_a_large_call(
    newcomer: Newcomer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is scripted; a person edits its first call and approves the second."""
    calls = [
        ("transfer", {"to": who, "amount": amount}) for who, amount in (("Kim", 700), ("Lee", 800))
    ]
    said = ["paid 600 to Kim", "paid 800 to Lee"]
    script = [
        reply
        for call, text in zip(calls, said, strict=True)
        for reply in (Reply(tool_calls=(call,)), Reply(text=text))
    ]
    newcomer.left = [block for block in BLOCKS if block[1].startswith("# bank.py")]
    newcomer.read(until="nothing")
    start = next(n for n, (_, block) in enumerate(BLOCKS) if block.startswith("# teller.py"))
    newcomer.left = BLOCKS[start:]
    install(newcomer.folder, TELLER)
    (newcomer.folder / "configs" / "platform.yaml").write_text("teams: [teller]\n")
    with scripted_openai_server(script) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        with commands(newcomer.folder) as newcomer.invoke:
            newcomer.read(until="# test_payments.py")
        heard = [call.prompt for call in server.calls]

    assert newcomer.codes == [4, 0, 4, 0]
    assert "paid 600 to Kim" in heard[1]
    paid = (newcomer.folder / "bank.json").read_text()
    assert re.findall(r'"(\d+ to \w+)"', paid) == ["600 to Kim", "800 to Lee"]


def test_the_page_s_own_race_has_one_winner(newcomer: Newcomer) -> None:
    """Its other test, which kills the run at every hop, is of `make chaos`; above it dies once."""
    for _, block in BLOCKS:
        if block.startswith(("# bank.py", "# payments.py", "# test_payments.py")):
            newcomer.write(block)
    tests = importlib.import_module("test_payments")
    (newcomer.folder / "race").mkdir()

    tests.test_of_two_answers_one_counts(newcomer.folder / "race")
