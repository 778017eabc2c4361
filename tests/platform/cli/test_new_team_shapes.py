"""Each shape of `minerva new team` works as it is written, and what cannot become one is told."""

import re
import sys
from collections.abc import Callable, Generator
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from forms import forms

from minerva_platform import AgentInput
from minerva_platform.testing import Reply, scripted_openai_server

ACME = '''
"""Looks things up in the manuals."""

import asyncio
import functools
from typing import TypedDict

from langgraph.graph import StateGraph
from pydantic import BaseModel


class Question(BaseModel):
    text: str
    limit: int = 3


class Page(BaseModel):
    summary: str
    score: float


class Form(BaseModel):
    customer: str
    month: int


class State(TypedDict):
    request: str
    summary: str


class Faq(TypedDict):
    question: str
    answer: str


async def find(question: Question) -> Page:
    """Finds the page of the manual on a machine part, in the German manuals and in all others.

    >>> await find("on which page is the pump?")
    """
    await asyncio.sleep(0)
    return Page(summary=f"page 12 on {question.text}", score=0.5)


def shout(request: str) -> str:
    """Shouts."""
    return request.upper()


def cut(text: str, length: int = 9, *words: str) -> str:
    """Cuts."""
    return text[:length]


def keyed(*, question, **rest) -> str:
    """Takes a keyword."""
    return question


@functools.cache
def page(question: str) -> Page:
    """Returns a model."""
    return Page(summary=question, score=1)


def form(given: Form) -> str:
    """Takes too much."""
    return given.customer


def number(request: str) -> float:
    """Returns a number."""
    return 1.0


def parts(request: str):
    """Yields."""
    yield request


def bare(request: str) -> str:
    return request


def answer(state: State) -> dict[str, str]:
    return {"summary": state["request"][::-1]}


builder = StateGraph(State).add_sequence([answer]).set_entry_point("answer")
graph = builder.compile()
faq = StateGraph(Faq).add_node("a", lambda _: {"answer": "42"}).set_entry_point("a").compile()


def make() -> object:
    """Answers backwards."""
    return builder


def make_by_config(config: dict) -> object:
    """Answers backwards."""
    return graph


def make_broken() -> object:
    """Fails."""
    raise LookupError("no key")


async def make_later() -> object:
    """Answers backwards."""
    return graph
'''
QUESTIONS = {
    "full": "42 km는 몇 마일이야?",
    "minimal": "How many words are in this: to be or not to be",
    "function": "on which page is the pump?",
    "graph": "Looks things up in the manuals.",
}
ANSWERS = {
    "full": "42 km = **26.0976 mi**",
    "minimal": "6 words",
    "function": "page 12 on on which page is the pump?",
    "graph": QUESTIONS["graph"][::-1],
}
OPTIONS = {
    "full": (),
    "minimal": ("--minimal",),
    "function": ("--from-function", "acme.manuals:find"),
    "graph": ("--from-graph", "./manuals.py:graph"),
}
NEEDS = {
    "full": '"langgraph>=',
    "minimal": '"minerva-platform>=',
    "function": '"acme-tools>=2.3"',
    "graph": '"pydantic>=',
}


def installed(folder: Path, name: str, **files: str) -> None:
    """Write the metadata of a distribution into a folder of the import path."""
    metadata = folder / f"{name}.dist-info"
    metadata.mkdir()
    for file, text in {"METADATA": "", **files}.items():
        (metadata / file.replace("_txt", ".txt")).write_text(text)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installed project: one for all, since the homes of modules are kept by the import path."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "acme").mkdir()
    (folder / "acme" / "__init__.py").write_text("")
    (folder / "acme" / "manuals.py").write_text(ACME)
    said = "Metadata-Version: 2.1\nName: acme-tools\nVersion: 2.3+local\n"
    installed(folder, "acme_tools-2.3", METADATA=said, top_level_txt="acme\n")
    return folder


@pytest.fixture(autouse=True)
def acme(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """That project, and a file of the same code that belongs to none."""
    (tmp_path / "manuals.py").write_text(ACME)
    (tmp_path / "langgraph.json").write_text("{}")  # beside it, as people have it: no module
    monkeypatch.syspath_prepend(str(site))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        home = str(getattr(sys.modules[name], "__file__", None) or "")
        if home.startswith((str(tmp_path), str(site))):
            del sys.modules[name]


class Passed:
    """Keeps how the tests of a project ended."""

    def __init__(self) -> None:
        self.outcomes: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the outcome of a test, or of what failed around it."""
        if report.when == "call" or report.failed:
            self.outcomes.append(report.outcome)


def run_tests(project: Path, patch: pytest.MonkeyPatch) -> list[str]:
    """Run the tests of a project in this process."""
    patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # this run's own would act twice
    told = Passed()
    options = ["-s", "--import-mode=importlib", "--rootdir", str(project)]
    without = [f"-pno:{name}" for name in ("cacheprovider", "faulthandler", "terminal")]
    given = [*options, *without, "-ppytest_asyncio", "-c", str(project / "pyproject.toml")]
    assert pytest.main([*given, str(project / "tests")], plugins=[told]) == 0, told.outcomes
    return told.outcomes


@pytest.mark.small(2)
@pytest.mark.slow
@pytest.mark.parametrize("shape", OPTIONS)
def test_each_shape_works_as_it_is_written(
    invoke: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    """It is written, passes its tests and `minerva check`, and answers; it names what it needs."""
    written = invoke("new", "team", f"trial_{shape}", *OPTIONS[shape], "--dir", "made")
    assert written.exit_code == 0, written.output
    project, name = tmp_path / "made", f"trial_{shape}"
    points = f"[minerva.teams]\n{name} = minerva_{name}.team:Trial{shape.capitalize()}Team\n"
    installed(project, f"{name}-1.0", entry_points_txt=points)
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "platform.yaml").write_text(f"teams: [{name}]\n")
    monkeypatch.syspath_prepend(str(project))

    assert set(run_tests(project, monkeypatch)) == {"passed"}
    checked, asked = invoke("check"), invoke("ask", QUESTIONS[shape], "--json")
    assert (checked.exit_code, checked.stdout[:12]) == (0, "ok: 1 teams,"), checked.output
    assert ANSWERS[shape] in asked.stdout
    assert NEEDS[shape] in (project / "pyproject.toml").read_text()
    assert f'ask "{QUESTIONS[shape]}"' in written.stdout or shape == "full"


@pytest.mark.small(1)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("router", "shape"),
    forms(
        product(["tools", "dispatch"], OPTIONS), zip(["tools", "dispatch"], OPTIONS, strict=False)
    ),
)
def test_each_shape_may_be_led_by_a_model(
    invoke: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str, router: str
) -> None:
    """It passes its tests and `minerva check`, and answers with a model and without."""
    name = f"led_{shape}_{router}"
    written = invoke("new", "team", name, *OPTIONS[shape], "--router", router, "--dir", "made")
    assert written.exit_code == 0, written.output
    project = tmp_path / "made"
    team = f"Led{shape.capitalize()}{router.capitalize()}Team"
    points = f"[minerva.teams]\n{name} = minerva_{name}.team:{team}\n"
    installed(project, f"{name}-1.0", entry_points_txt=points)
    (tmp_path / "configs").mkdir()
    settings = tmp_path / "configs" / "platform.yaml"
    settings.write_text(f"teams: [{name}]\nrouter: embedded\n")
    monkeypatch.syspath_prepend(str(project))

    assert set(run_tests(project, monkeypatch)) == {"passed"}
    checked, alone = invoke("check"), invoke("ask", QUESTIONS[shape], "--json")
    (worker,) = re.findall(r'"agent_name": "(\w+_agent)"', alone.stdout)
    call = (worker, {"request": QUESTIONS[shape]})
    if router == "dispatch":
        call = ("task", {"agent_name": worker, "description": QUESTIONS[shape]})
    with scripted_openai_server([Reply(tool_calls=[call]), Reply(text="Led here.")]) as server:
        model = f"{{name: 'openai:scripted', base_url: '{server.url}'}}"
        settings.write_text(f"teams: [{name}]\nrouter: embedded\nmodel: {model}\n")
        led = invoke("ask", QUESTIONS[shape], "--json")

    assert (checked.exit_code, checked.stdout[:12]) == (0, "ok: 1 teams,"), checked.output
    assert ANSWERS[shape] in alone.stdout
    assert '"answer": "Led here."' in led.stdout
    assert server.calls[0].tools[0] == call[0]


def test_only_a_router_by_tools_is_written(invoke: Any, tmp_path: Path) -> None:
    """The error says what to type, and where every other router is named."""
    done = invoke("new", "team", "billing", "--router", "plan")

    assert done.exit_code == 2
    assert "type --router tools or --router dispatch" in done.stderr
    assert not (tmp_path / "minerva-team-billing").exists()


@pytest.mark.small(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("find", "(await find(Question(text=given.request))).summary"),
        ("shout", "shout(given.request)"),
        ("cut", "cut(given.request)"),
        ("keyed", "keyed(question=given.request)"),
        ("page", "page(given.request).summary"),
    ],
)
def test_a_function_is_called_as_it_is_written(
    invoke: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, call: str
) -> None:
    """One text or model in, one out; what has a default may stay; async is awaited."""
    done = invoke("new", "team", "billing", "--from-function", f"manuals.py:{name}", "--dir", "b")
    assert done.exit_code == 0, done.output
    worker = (tmp_path / "b" / "minerva_billing" / f"{name}_agent.py").read_text()
    monkeypatch.syspath_prepend(str(tmp_path / "b"))
    agent = getattr(import_module(f"minerva_billing.{name}_agent"), f"{name.capitalize()}Agent")

    assert f"AgentOutput(summary={call})" in worker
    assert "a pump" in agent().run(AgentInput(request="a pump")).summary.lower()


@pytest.mark.small(2)
@pytest.mark.parametrize(
    ("name", "expression"),
    [
        ("graph", "graph"),
        ("builder", "builder.compile()"),
        ("make", "make().compile()"),
        ("make_by_config", "make_by_config({})"),
    ],
)
def test_a_graph_is_made_as_it_is_written(
    invoke: Any, tmp_path: Path, name: str, expression: str
) -> None:
    """Compiled or not, or returned by a function, with or without LangGraph's config."""
    done = invoke("new", "team", "desk", "--from-graph", f"acme.manuals:{name}", "--dir", "d")

    assert done.exit_code == 0, done.output
    worker = (tmp_path / "d" / "minerva_desk" / "desk_agent.py").read_text()
    assert f"agent_from_graph(\n    {expression},\n" in worker


FUNCTION, GRAPH = "--from-function", "--from-graph"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "named", "told"),
    [
        (FUNCTION, "manuals", ("not MODULE:NAME", f"{FUNCTION} manuals:NAME")),
        (FUNCTION, "manuals:find", ("not installed", f"{FUNCTION} ./manuals.py:find")),
        (FUNCTION, "nowhere.at_all:f", ("No module `nowhere.at_all`", "-e FOLDER")),
        (FUNCTION, "acme.manual:find", ("did you mean `manuals`?",)),
        (FUNCTION, "./manual.py:find", ("no file manual.py", f"{FUNCTION} manuals.py:find")),
        (FUNCTION, "./lonely.py:f", ("imports `manuals` beside it", "pyproject.toml", "install")),
        (FUNCTION, "./mine/part.py:f", ("is a part of a package", "install", "mine/part.py:f")),
        (FUNCTION, "./broken.py:f", ("broken.py:1: ", "cannot be imported")),
        (FUNCTION, "manuals.py:shuot", ("did you mean `shout`?", f"{FUNCTION} manuals.py:shout")),
        (FUNCTION, "manuals.py:Form", ("is a class, no function", f"{FUNCTION} manuals.py:find")),
        (FUNCTION, "manuals.py:graph", ("is a graph", f"{GRAPH} manuals.py:graph")),
        (FUNCTION, "manuals.py:bare", ("no docstring", "below `def bare`", "manuals.py:bare")),
        (FUNCTION, "manuals.py:form", ("`Form` needs `customer`, `month`", "manuals.py:NAME")),
        (FUNCTION, "manuals.py:number", ("(request: str) -> float", "manuals.py:NAME")),
        (FUNCTION, "manuals.py:parts", ("in parts", "def NAME(request: str) -> str")),
        (GRAPH, "manuals.py:Form", ("no StateGraph", f"{GRAPH} manuals.py:builder")),
        (GRAPH, "manuals.py:shout", ("takes nothing", f"{FUNCTION} manuals.py:shout")),
        (GRAPH, "manuals.py:make_later", ("is async", f"{GRAPH} manuals.py:NAME")),
        (GRAPH, "manuals.py:make_broken", ("LookupError: no key", "manuals.py:make_broken")),
        (GRAPH, "manuals.py:faq", ('faq.invoke({"question": request})["answer"]', ":ask")),
    ],
)
def test_what_cannot_become_a_team_says_what_to_type(
    invoke: Any, tmp_path: Path, option: str, named: str, told: tuple[str, ...]
) -> None:
    """In words for somebody who never saw MINERVA, and nothing is written."""
    (tmp_path / "lonely.py").write_text("import manuals\n")
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "part.py").write_text("import mine\n")
    done = invoke("new", "team", "billing", option, named)

    assert done.exit_code == 2
    assert [text for text in told if text not in done.stderr] == []
    assert not (tmp_path / "minerva-team-billing").exists()


def test_one_beginning_is_enough(invoke: Any) -> None:
    """Two of them are a mistake, and are told so."""
    done = invoke("new", "team", "billing", "--minimal", "--from-graph", "manuals.py:graph")

    assert (done.exit_code, "Type one of --minimal" in done.stderr) == (2, True)


def test_a_file_of_an_installed_project_is_imported_not_copied(
    invoke: Any, site: Path, tmp_path: Path
) -> None:
    """The function stays where it is mended."""
    file = site / "acme" / "manuals.py"
    done = invoke("new", "team", "billing", "--from-function", f"{file}:shout", "--dir", "b")

    assert done.exit_code == 0, done.output
    worker = (tmp_path / "b" / "minerva_billing" / "shout_agent.py").read_text()
    assert "from acme.manuals import shout\n" in worker


_Hidden = Callable[..., None]


@pytest.mark.parametrize(
    ("missing", "lines"),
    [
        ((), ["uv pip install --python ENV/python -e made", "ENV/pytest made"]),
        (("uv",), ["ENV/python -m pip install -e made", "ENV/pytest made"]),
        (
            ("uv", "pip", "pytest"),
            [
                "ENV/python -m ensurepip && ENV/python -m pip install -e made",
                "ENV/python -m ensurepip && ENV/python -m pip install pytest pytest-asyncio",
                "ENV/python -m pytest made",
            ],
        ),
    ],
)
def test_hints_name_programs_that_are_there(
    invoke: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    missing: tuple[str, ...],
    lines: list[str],
) -> None:
    """`uv`, pip and pytest are named where they are installed."""
    programs, shell = tmp_path / "env", tmp_path / "shell"
    for folder, names in ((programs, {"python", "pytest", "minerva"}), (shell, {"uv"})):
        folder.mkdir()
        for name in names - set(missing):
            (folder / name).write_text("")
            (folder / name).chmod(0o755)
    for name in set(missing) & {"pip", "pytest"}:
        monkeypatch.setitem(sys.modules, name, None)  # what Python knows not to be there
    monkeypatch.setenv("PATH", str(shell))
    monkeypatch.setattr(sys, "executable", str(programs / "python"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "prefix"))
    done = invoke("new", "team", "words", "--minimal", "--dir", "made")
    hints = done.stdout.partition("Next, type\n")[2].splitlines()
    readme = (tmp_path / "made" / "README.md").read_text()

    assert [line.strip().replace("env", "ENV") for line in hints[: len(lines)]] == lines
    assert "activate" not in readme
    assert (f"{shell}/uv" in readme or "uv pip" in readme) is ("uv" not in missing)
