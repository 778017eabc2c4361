"""A model may help; what it says counts only if the core agrees, and going without is told."""

from typing import Any

import pytest
from langgraph.graph import START, StateGraph
from pydantic import BaseModel
from typing_extensions import TypedDict

from minerva_platform import (
    AgentInput,
    AgentOutput,
    BaseAgent,
    Model,
    RefusedAnswerError,
    Run,
    Task,
    Team,
)
from minerva_platform.durable.active_run import run_team
from minerva_platform.models import ModelSpec
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import Fault, Reply, ScriptedRouter, StubAgent, scripted_openai_server

KNOWN = {"번호V20", "명V100"}


pytestmark = pytest.mark.usefixtures("fresh_models")


class Guess(BaseModel):
    """What the model is asked for."""

    domain: str


class _State(TypedDict, total=False):
    request: str
    summary: str


class Helped(BaseAgent[AgentInput, AgentOutput]):
    """A worker that takes a model's guess if it is in the dictionary."""

    name = "helped"
    description = "…"

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return a graph of one node."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(_State)
        builder.add_node("answer", self.answer)
        builder.add_edge(START, "answer")
        return builder

    async def answer(self, state: _State) -> dict[str, Any]:
        """Ask for a guess, check it, and say it."""
        prompt = f"Which domain? {state.get('request')}"
        core = Guess(domain="unknown")
        guess = await self.assist(prompt, schema=Guess, instead=core, check=self.known)
        return {"summary": guess.domain}

    def known(self, guess: Guess) -> Guess:
        """Refuse what the dictionary does not hold."""
        if guess.domain not in KNOWN:
            message = f"`{guess.domain}` is in no dictionary."
            raise RefusedAnswerError(message)
        return guess


def model_at(url: str) -> Model:
    """Return the scripted model."""
    return Model(ModelSpec(name="openai:scripted", base_url=url, timeout=10.0))


async def run_helped(model: Model | None) -> Run:
    """Run the worker in a team."""
    worker = Helped()
    worker.model = model
    team = Team(name="t", description="…", members=(worker,), router=ScriptedRouter(["helped"]))
    return await run_team(team.assembled, Task(request="환자번호"), RunOptions())


async def test_without_a_model_the_core_answers() -> None:
    """And nothing is degraded."""
    run = await run_helped(None)

    assert (run.status, run.answer, run.bypassed) == ("ok", "unknown", ())


async def test_an_answer_that_the_core_confirms_counts() -> None:
    """It is the worker's answer; the call is charged to the hop."""
    with scripted_openai_server([Reply(json={"domain": "번호V20"})]) as server:
        run = await run_helped(model_at(server.url))

    assert (run.status, run.answer, run.usage.model_calls) == ("ok", "번호V20", 1)


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (Reply(json={"domain": "번호V21"}), "않았습니다: `'번호V21' is in no dictionary.`"),
        (Reply(text="번호V20"), "아닙니다: `'openai:scripted', asked by 't/helped': "),
        (Fault("cut_stream"), "없습니다: `'openai:scripted', asked by 't/helped': "),
        (
            Fault("unauthorized"),
            "거절했습니다: `'openai:scripted', asked by 't/helped': the ",
        ),
    ],
)
async def test_going_without_is_told(answer: Any, cause: str) -> None:
    """The answer is the core's, as without a model; the run object says what it did without."""
    with scripted_openai_server(lambda _: answer) as server:
        run = await run_helped(model_at(server.url))

    assert (run.status, run.hops[0].status, run.answer) == ("ok", "ok", "unknown")
    (entry,) = run.bypassed
    assert entry.is_whole
    assert (entry.path, entry.action) == ("t/helped", "substituted")
    assert cause in entry.cause


def two_parts(model: Model | None) -> Team:
    """Return a team that puts two parts into a model's words."""
    members = (
        StubAgent("names", summary="`PT_ID` is 번호V20, in terms.csv:3."),
        StubAgent("uses", summary="It is used in app/api.py:13 and 2 more places."),
    )
    team = Team(
        name="t", description="…", members=members, router=ScriptedRouter(["names", "uses"])
    )
    team.model, team.finish_mode = model, "synthesise"
    return team


COMPOSED = "`PT_ID` is 번호V20, in terms.csv:3.\n\nIt is used in app/api.py:13 and 2 more places."


async def test_a_model_puts_parts_into_words() -> None:
    """It sees the request and the parts; what it writes is the answer."""
    text = "PT_ID (번호V20) breaks app/api.py:13."
    with scripted_openai_server({"Synthesis": Reply(json={"answer": text})}) as server:
        run = await run_team(
            two_parts(model_at(server.url)).assembled, Task(request="go"), RunOptions()
        )

    assert (run.status, run.answer, run.usage.model_calls) == ("ok", text, 1)
    assert "Part of names:\n`PT_ID`" in server.calls[0].prompt


@pytest.mark.parametrize(
    "text", ["PT_NO breaks.", "It breaks app/db.py:99.", "17 places break.", "", " "]
)
async def test_what_no_part_says_is_not_said(text: str) -> None:
    """An invented name, place or number: the parts stand as they are."""
    with scripted_openai_server(lambda _: Reply(json={"answer": text})) as server:
        run = await run_team(
            two_parts(model_at(server.url)).assembled, Task(request="go"), RunOptions()
        )

    assert (run.status, run.answer) == ("ok", COMPOSED)
    assert "holds what no part says" in run.bypassed[0].cause


async def test_without_a_model_parts_stand_as_they_are() -> None:
    """`synthesise` needs one, and is no failure without."""
    run = await run_team(two_parts(None).assembled, Task(request="go"), RunOptions())

    assert (run.status, run.answer) == ("ok", COMPOSED)
