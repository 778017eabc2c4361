"""A worker's programming error says where it is, in the run object and the records."""

import json
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import pytest

from minerva_observability import MemorySink
from minerva_platform import AgentError, AgentInput, BaseAgent, Handoff, Run, Task, Team, agent
from minerva_platform.durable.active_run import run_team
from minerva_platform.errors import AgentTimeoutError, ModelOutputError
from minerva_platform.run_context.failures.error_info import error_to_info
from minerva_platform.run_context.failures.failure_text import failure_text, told_text
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import EachOnceRouter, StubAgent

GENERAL = "It could not do its part because of an error."

CORE = """
import json

def read(text):
    secret = "local-value-7"
    return json.loads(text)

def look_up(key):
    return {}[key]
"""
WORKER = """
from minerva_trial.core.reading import look_up, read

def reads(request: str) -> str:
    return read(request)

def looks_up(request: str) -> str:
    return look_up(request)
"""


@pytest.fixture
def functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Return the functions of a package that lies under a folder."""

    def written(folder: str) -> Any:
        core = tmp_path / folder / "minerva_trial" / "core"
        core.mkdir(parents=True)
        (core / "__init__.py").write_text("")
        (core.parent / "__init__.py").write_text("")
        (core / "reading.py").write_text(CORE)
        (core.parent / "agent.py").write_text(WORKER)
        monkeypatch.syspath_prepend(str(tmp_path / folder))
        return import_module("minerva_trial.agent")

    for name in [name for name in sys.modules if name.startswith("minerva_trial")]:
        monkeypatch.delitem(sys.modules, name)
    return written


async def run(*members: BaseAgent[Any, Any], sink: MemorySink | None = None) -> Run:
    """Ask each member once."""
    team = Team(name="t", description="…", members=members, router=EachOnceRouter())
    return await run_team(
        team.assembled, Task(request="go"), RunOptions(recorder=sink or MemorySink())
    )


async def test_the_place_is_in_the_cause_and_in_every_row(functions: Any) -> None:
    """File, line and function of the worker's own code; the path begins at its package."""
    sink = MemorySink()
    where = "minerva_trial/core/reading.py:9, in look_up"

    answer = await run(agent()(functions("src").looks_up), sink=sink)

    assert "KeyError" not in answer.answer
    assert [entry.cause for entry in answer.bypassed] == [f"KeyError: 'go' ({where})"]
    errors: list[Any] = [r.to_json_dict().get("error") for r in sink.records if r.kind != "route"]
    expected = {"type": "KeyError", "message": "'go'", "where": where}
    whole = {**expected, "type": "AllFailedError", "message": "KeyError: 'go'"}  # the run's own
    assert errors == [expected, expected, whole]


async def test_library_frames_local_values_and_folders_are_not_told(
    functions: Any, tmp_path: Path
) -> None:
    """The error arose in `json`, but what has to be mended called it."""
    sink = MemorySink()

    answer = await run(agent()(functions("src").reads), sink=sink)

    assert "(minerva_trial/core/reading.py:6, in read)" in answer.bypassed[0].cause
    told = answer.model_dump_json() + json.dumps([row.to_json_dict() for row in sink.records])
    assert "local-value-7" not in told
    assert str(tmp_path) not in told


async def test_a_team_that_is_installed_is_no_library(functions: Any) -> None:
    """Its worker's package counts as its own, also in `site-packages`."""
    looks_up = functions("lib/site-packages").looks_up

    class Installed(StubAgent):
        pass

    Installed.__module__ = looks_up.__module__

    answer = await run(Installed("bad", behave=lambda payload: looks_up(payload.request)))

    assert "(minerva_trial/core/reading.py:9, in look_up)" in answer.bypassed[0].cause


async def test_errors_that_are_sentences_have_no_class_and_no_place() -> None:
    """They were written for the person."""

    def says(_: Any) -> None:
        message = "ask again."
        raise AgentError(message)

    answer = await run(StubAgent("bad", behave=says))

    assert answer.answer == ("No answer could be made.\n\nWhat failed:\n\n- `t/bad`: ask again.")


class Total(Handoff):
    """What a node fills wrongly."""

    kind: ClassVar[str] = "place.total"
    number: int


async def test_a_hand_off_made_wrongly_names_node_and_line() -> None:
    """In words of our own: no value of the person, no address of pydantic's."""

    def makes(payload: AgentInput) -> Any:
        return {"summary": "x", "total": Total(number=payload.request)}  # pyright: ignore[reportArgumentType]  # the fault that is tried

    (entry,) = (await run(StubAgent("bad", behave=makes))).bypassed

    assert entry.cause.startswith("ValidationError: `Total` does not fit: `number`: Input should")
    assert entry.cause.endswith(", in makes)")
    assert "pydantic.dev" not in entry.cause
    assert "go" not in entry.cause.partition("(")[0].split()


@pytest.mark.parametrize(
    ("error", "korean", "english"),
    [
        (ValueError("Expecting value: line 1"), "작업 중에 오류가 났습니다.", GENERAL),
        (AgentError("no figures"), "요청에 답하지 못했습니다.", "no figures"),
        (AgentError("숫자가 없습니다."), "숫자가 없습니다.", GENERAL),
        (
            ModelOutputError("m", "t", "it does not fit: `goals`: Field required"),
            "모델의 답이 요청한 형식이 아닙니다.",
            "The model's answer does not have the requested form.",
        ),
        (
            AgentTimeoutError("t/a", 3),
            "`t/a`: 3초 안에 답하지 않았습니다.",
            "`t/a` gave no answer within 3 s.",
        ),
    ],
)
def test_an_answer_tells_a_failure_in_its_language_alone(
    error: Exception, korean: str, english: str
) -> None:
    """No words of a program, none of another language; both are in the cause."""
    info = error_to_info(error)

    assert (told_text(info, "ko"), told_text(info, "en")) == (korean, english)
    assert str(error) in failure_text(info, "en")
