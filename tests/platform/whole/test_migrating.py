"""The page about migration is true: its files, its commands, what they print, what was won."""

import importlib
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from minerva_observability import MemorySink
from minerva_platform import Platform
from minerva_platform.testing import (
    Fault,
    Reply,
    ScriptedOpenAI,
    assert_hops,
    assert_isolated,
    scripted_openai_server,
)

ROOT = Path(__file__).parents[3]
STEPS = ROOT / "tests" / "examples" / "migrating"
PAGE = (ROOT / "platform" / "MIGRATING.md").read_text("utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
AUDIT = "check patient name, discharge time and ward code for violations"
OURS = {path.stem for path in STEPS.glob("*.py")}


def forget_modules() -> None:
    """Let the next import read the page's files again."""
    for name in OURS:
        sys.modules.pop(name, None)
    importlib.invalidate_caches()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give a copy of the page's files, as its reader makes one, and stand in it."""
    shutil.copytree(
        STEPS, tmp_path, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    forget_modules()
    yield tmp_path
    forget_modules()


@dataclass
class Reader:
    """Somebody who types what the page says."""

    folder: Path
    invoke: Callable[..., "subprocess.CompletedProcess[str]"]
    monkeypatch: pytest.MonkeyPatch

    def type(self, line: str) -> str:
        """Type a line, and return what it says."""
        match line.split():
            case ["cp" | "source" | "cd", *_]:
                return ""  # the fixture did this
            case ["python", script, ">", file]:
                (self.folder / file).write_text(self.said_by(script), encoding="utf-8")
                return ""
            case ["python", script, "|", "diff", file, "-"]:
                said = self.said_by(script)
                assert said == (self.folder / file).read_text("utf-8"), script
                return ""
            case ["pip", "install", *_]:
                for name in re.findall(r"-e \./(\w+)", line):
                    self.install(self.folder / name)
                return ""
            case ["minerva", *_]:
                forget_modules()  # a command is a process of its own
                words = re.findall(r'"[^"]*"|\S+', line)[1:]
                done = self.invoke(*(word.strip('"') for word in words))
                return f"{done.stdout}\n{done.stderr}"
            case _:
                subprocess.run(["/bin/sh", "-c", line], cwd=self.folder, check=True)
                return ""

    def said_by(self, script: str) -> str:
        """Run a script as `python` does, and return what it prints."""
        forget_modules()
        with redirect_stdout(StringIO()) as said:
            runpy.run_path(str(self.folder / script), run_name="__main__")
        return said.getvalue()

    def install(self, project: Path) -> None:
        """Do what `pip install -e` does, as far as MINERVA looks."""
        said = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]
        made = project / f"{said['name']}-{said['version']}.dist-info"
        made.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: {said['name']}\nVersion: {said['version']}\n"
        (made / "METADATA").write_text(metadata)
        points = said["entry-points"]["minerva.teams"]
        lines = [f"{name} = {place}" for name, place in points.items()]
        (made / "entry_points.txt").write_text("\n".join(["[minerva.teams]", *lines, ""]))
        self.monkeypatch.syspath_prepend(str(project))


@pytest.fixture
def reader(folder: Path, monkeypatch: pytest.MonkeyPatch, type_in: Callable[..., Any]) -> Reader:
    """Give somebody who stands in the copied folder."""
    return Reader(folder, type_in, monkeypatch)


def test_the_page_shows_its_files_whole() -> None:
    """What a reader copies from the page is what runs here."""
    shown = re.findall(r"`([\w.]+)`:\n\n```(?:python|toml)\n(.*?)```", PAGE, re.DOTALL)
    code = [block for language, block in BLOCKS if language in {"python", "toml"}]

    assert code == [text for _, text in shown]
    assert [name for name, text in shown if (STEPS / name).read_text("utf-8") != text] == []
    assert {f"step_{n}.py" for n in range(7)} <= {name for name, _ in shown}
    assert max(len(text.splitlines()) for _, text in shown) < 90


def plain(text: str) -> str:
    """Return `text` without times, who was slowest, bars and widths."""
    return " ".join(re.sub(r"[\d.]+ m?s\b|(?<=slowest) +\w+|━", " ", text).split())


@pytest.mark.slow
def test_each_step_answers_as_the_one_before(reader: Reader) -> None:
    """Every command of the page does what it says, in its order."""
    said = ""
    for language, block in BLOCKS:
        if language == "sh" and "MINERVA_MODEL" not in block:
            said = "".join(reader.type(line) for line in block.splitlines())
            said = said or (reader.folder / "before.txt").read_text("utf-8")
        for line in block.splitlines() if language == "text" else ():
            assert plain(line) in plain(said), f"{line}\n\nis not in\n\n{said}"


@pytest.mark.parametrize(
    ("step", "hops"),
    [
        (2, ["audit_agent"]),
        (3, ["audit_agent"]),
        (4, ["names_agent", "columns_agent", "audit_agent"]),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_step_calls_the_workers_that_the_page_says(step: int, hops: list[str]) -> None:
    """Until step 4 one worker does all the work of an audit, unseen."""
    run = importlib.import_module(f"step_{step}").team.ask(AUDIT)

    assert_hops(run, *(f"standard/{name}" for name in hops))
    assert run.status == "ok"


@pytest.mark.usefixtures("folder")
def test_two_teams_hand_over_columns_and_no_terms() -> None:
    """An export leaves its team; milliseconds of every worker are on record."""
    teams = [importlib.import_module(name) for name in ("naming", "review")]
    sink = MemorySink()
    run = Platform(teams=[teams[0].Naming(), teams[1].Review()], recorder=sink).ask(AUDIT)

    names = ("naming/names_agent", "naming/columns_agent", "review/audit_agent")
    assert_hops(run, *(f"platform/{name}" for name in names))
    assert list(run.handoffs) == ["standard.columns"]
    timed = {record.agent_name for record in sink.records if record.kind == "agent" and record.ms}
    assert {"names_agent", "columns_agent", "audit_agent"} <= timed


@pytest.mark.usefixtures("folder")
def test_only_the_answer_leaves_the_wrapped_graph() -> None:
    """The keys of its state stay inside."""
    given = importlib.import_module("step_1").standardiser.invoke({"request": AUDIT})

    assert {key for key, value in given.items() if value} == {"summary"}


@pytest.mark.usefixtures("folder")
def test_nothing_crosses_the_border_of_a_worker_of_its_own() -> None:
    """The shared state of step 0 is gone with step 2."""
    for worker in importlib.import_module("step_2").team.assembled.agents:
        assert_isolated(worker, {"request": AUDIT})


@pytest.mark.usefixtures("folder")
def test_the_auditor_needs_no_glossary() -> None:
    """It is tested with columns alone, as the page says."""
    audit = importlib.import_module("audit_worker").Audit()
    answer = audit.invoke({"made": {"columns": [["WARD_CD", "NUMBER(5)"]]}})

    assert answer["summary"] == "WARD_CD is NUMBER(5), not VARCHAR"
    assert "terms" not in sys.modules


@pytest.fixture
def scripted(
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[[Reply | Fault], ScriptedOpenAI]]:
    """Give what starts a model that always answers alike."""
    with ExitStack() as servers:

        def start(answer: Reply | Fault) -> ScriptedOpenAI:
            server: ScriptedOpenAI = servers.enter_context(scripted_openai_server(lambda _: answer))
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            monkeypatch.setenv("OPENAI_API_KEY", "none")
            monkeypatch.setenv("MINERVA_MODEL", "openai:scripted")
            return server

        yield start


def test_a_model_is_asked_in_doubt_only(
    reader: Reader, scripted: Callable[[Reply | Fault], ScriptedOpenAI]
) -> None:
    """One of the six requests is in doubt; the answers stay the same."""
    server = scripted(Reply(json={"goals": [{"member": "audit_agent", "request": AUDIT}]}))

    assert reader.said_by("step_3.py") == reader.said_by("step_0.py")
    (call,) = server.calls
    assert AUDIT in call.prompt


@pytest.mark.usefixtures("folder")
def test_the_examples_decide_if_the_model_fails(
    scripted: Callable[[Reply | Fault], ScriptedOpenAI],
) -> None:
    """The answer is the same, and the run object tells of the failure."""
    scripted(Fault("server_error"))
    run = importlib.import_module("step_3").team.ask(AUDIT)

    assert_hops(run, "standard/audit_agent")
    assert (run.status, run.answer) == ("ok", importlib.import_module("step_0").ask(AUDIT))
    assert "the server failed (500)" in run.bypassed[0].cause


@pytest.mark.whole
@pytest.mark.usefixtures("folder")
def test_enough_examples_are_right_more_often_than_the_if_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On requests of strangers, as the page counts them; forty for each worker are enough."""
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "bench"))
    bench = importlib.import_module("migrating")
    asked = bench.groups()
    served, nobodys = asked["served"], asked["nobody's"]
    forty, every = (
        bench.EmbeddedRouter(cards)
        for cards in (bench.drawn(bench.data_cards(), 40, 0), bench.data_cards())
    )

    assert (len(served), len(nobodys)) == (74, 137)
    assert (bench.right_by_words(served), bench.right_by_words(nobodys)) == (47, 0)
    assert 47 < bench.right_by_examples(served, forty) < bench.right_by_examples(served, every)
    assert bench.right_by_examples(nobodys, every) > 110
