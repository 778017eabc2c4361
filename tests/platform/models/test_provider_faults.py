"""However a provider fails, a call ends in time and typed, and no tool acts on half an answer."""

import re
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool
from pydantic import BaseModel

from minerva_observability import MemorySink, RunScope
from minerva_platform import Task, Team
from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.durable.active_run import run_team
from minerva_platform.errors import (
    ModelError,
    ModelIncompleteError,
    ModelOutputError,
    ModelRequestError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from minerva_platform.langgraph import agent_from_graph
from minerva_platform.models.circuit_breaker import Breaker, breaker_of
from minerva_platform.models.model import Model
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import (
    PROVIDER_FAULTS,
    Fault,
    Reply,
    ScriptedOpenAI,
    ScriptedRouter,
    scripted_openai_server,
)

EXPECTED: dict[str, type[ModelError]] = {
    "bad_json_arguments": ModelOutputError,
    "connection_reset": ModelUnavailableError,
    "content_filter": ModelIncompleteError,
    "cut_stream": ModelError,
    "cut_tool_arguments": ModelError,
    "drip": ModelTimeoutError,
    "empty_choices": ModelError,
    "hang": ModelTimeoutError,
    "html_page": ModelError,
    "keep_alive": ModelTimeoutError,
    "length": ModelIncompleteError,
    "no_finish_reason": ModelIncompleteError,
    "null_choices": ModelError,
    "rate_limited": ModelUnavailableError,
    "server_error": ModelUnavailableError,
    "unauthorized": ModelRequestError,
}
pytestmark = pytest.mark.usefixtures("fresh_models")

KEY = "sk-canary-0123456789abcdefghijklmn"


class Answer(BaseModel):
    """A typed answer."""

    number: int


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


ENDLESS = {"drip", "hang", "keep_alive"}


def model_at(url: str, **more: Any) -> Model:
    """Return the scripted model, with ten seconds for a call."""
    given: dict[str, Any] = {"timeout": 10.0, **more}
    return Model(ModelSpec(name="openai:scripted", base_url=url, **given))


def test_every_fault_is_tried() -> None:
    """The promise names sixteen."""
    assert set(EXPECTED) == set(PROVIDER_FAULTS)
    assert len(EXPECTED) == 16


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", PROVIDER_FAULTS)
async def test_a_fault_is_a_typed_error_in_bounded_time(name: Any, *, stream: bool) -> None:
    """It names the model and who asked; no secret is in it."""
    with scripted_openai_server(lambda _: Fault(name)) as server:
        model = model_at(server.url, timeout=0.3 if name in ENDLESS else 10.0)

        async def ask() -> None:
            if stream:
                async for _ in model.chat.astream("how much?"):
                    pass
            else:
                await model.text("how much?")

        with pytest.raises(EXPECTED[name]) as caught:
            await ask()

        assert len(server.calls) <= 3

    assert "`openai:scripted`, asked by `this process`" in str(caught.value)
    assert KEY not in repr(caught.value) + repr(model.chat) + str(model.spec)


@pytest.mark.small(12)
@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", [*PROVIDER_FAULTS, None])
async def test_a_tool_acts_on_whole_answers_only(name: Any, *, stream: bool) -> None:
    """An agent made by `create_agent` pays once when asked to, and never by half an answer."""
    paid: list[int] = []

    @tool
    def pay(amount: int, to: str) -> str:
        """Pay an amount."""
        paid.append(amount)
        return f"paid {to}"

    wish = Reply(tool_calls=[("pay", {"amount": 1000, "to": "somebody"})])
    answers = [wish, Reply(text="done")] if name is None else lambda _: Fault(name, reply=wish)
    with scripted_openai_server(answers) as server:
        model = model_at(server.url, timeout=0.3 if name in ENDLESS else 10.0)
        agent: Any = create_agent(model.chat, [pay])
        message = {"messages": [("user", "pay somebody 1000")]}
        if name is None:
            await agent.ainvoke(message)
        elif stream:
            with pytest.raises(ModelError):
                async for _ in agent.astream(message, stream_mode="messages"):
                    pass
        else:
            with pytest.raises(ModelError):
                await agent.ainvoke(message)

    assert paid == ([1000] if name is None else [])


@contextmanager
def redirecting_server(location: Callable[[str], str]) -> Generator[tuple[str, list[str]]]:
    """Serve redirects to `location(path)`; yield the base URL and the paths that were asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        """Answers each POST with 307, which repeats method and body."""

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base's name
            """Say nothing."""

        def do_POST(self) -> None:
            """Redirect."""
            asked.append(self.path)
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(307)
            self.send_header("Location", location(self.path))
            self.send_header("Content-Length", "0")
            self.end_headers()

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}/v1", asked
        finally:
            http.shutdown()
            thread.join()


async def test_a_redirect_to_another_origin_is_not_followed() -> None:
    """The request holds a person's words; the other server never sees them, nor the key."""
    with (
        scripted_openai_server(lambda _: Reply(text="mine")) as elsewhere,
        redirecting_server(lambda path: f"{elsewhere.root}{path}") as (url, asked),
    ):
        told = f"redirects to {re.escape(elsewhere.root)}, .* name it as `base_url`"
        with pytest.raises(ModelRequestError, match=told):
            await model_at(url).text("how much?")

        assert (len(asked), elsewhere.calls) == (1, [])


async def test_a_redirect_within_its_origin_is_followed() -> None:
    """A server may move a path; one that moves it for ever is given up."""
    with redirecting_server(lambda path: f"{path}/moved") as (url, asked):
        with pytest.raises(ModelUnavailableError):
            await model_at(url).text("how much?")

        assert asked[1] == f"{asked[0]}/moved"


async def test_each_call_of_a_tool_has_an_id_of_its_own() -> None:
    """LangChain matches a tool's result to its call by id, over the whole conversation."""
    wish = Reply(tool_calls=[("pay", {"amount": 1}), ("pay", {"amount": 2})])
    with scripted_openai_server(lambda _: wish) as server:
        chat = model_at(server.url).chat
        answers = [await chat.ainvoke("pay") for _ in range(2)]

    ids = [call["id"] for answer in answers for call in answer.tool_calls]
    assert len(set(ids)) == 4


async def test_an_overloaded_server_is_asked_again() -> None:
    """As often and as late as it says, within the call's time."""
    script = [Fault("rate_limited"), Fault("server_error"), Reply(json={"number": 7})]
    with scripted_openai_server(script) as server:
        answer = await model_at(server.url, timeout=10.0).ask("?", schema=Answer)

    assert answer.number == 7
    assert len(server.calls) == 3


async def test_too_long_a_wait_is_no_wait() -> None:
    """A provider that wants an hour gets an error at once."""
    with scripted_openai_server([Fault("rate_limited", retry_after="3600")]) as server:
        with pytest.raises(ModelUnavailableError, match="429"):
            await model_at(server.url, timeout=30.0).text("?")

        assert len(server.calls) == 1


async def test_a_model_that_keeps_failing_rests() -> None:
    """After five failures nothing leaves; after the rest one probe does, and opens the way."""
    now = [0.0]
    down = [True]
    with scripted_openai_server(
        lambda _: Fault("server_error") if down[0] else Reply(text="back")
    ) as server:
        model = model_at(server.url, timeout=10.0)
        breaker = breaker_of(server.url, "scripted")
        breaker._clock = lambda: now[0]  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001  # time
        for _ in range(4):
            with pytest.raises(ModelUnavailableError):
                await model.text("?")
        sent = len(server.calls)
        with pytest.raises(ModelUnavailableError, match="rests for 30 s"):
            await model.text("?")
        assert len(server.calls) == sent == 5

        now[0] = 31.0
        with pytest.raises(ModelUnavailableError):
            await model.text("?")
        assert len(server.calls) == sent + 1

        now[0], down[0] = 62.0, False
        assert await model.text("?") == "back"
        assert await model.text("?") == "back"


def test_only_one_probe_leaves() -> None:
    """Of many that wait for the end of the rest."""
    now = [0.0]
    breaker = Breaker(failures=2, rest_s=10, clock=lambda: now[0])
    breaker.note_failure()
    assert breaker.admits()
    breaker.note_failure()
    assert not breaker.admits()
    assert breaker.seconds_of_rest == 10
    now[0] = 10.5

    assert [breaker.admits() for _ in range(3)] == [True, False, False]

    breaker.note_success()
    assert breaker.admits()
    assert breaker.seconds_of_rest == 0


async def test_tries_usage_and_cost_are_on_record_once() -> None:
    """A row for each try, with tokens and cost on the one that answered; the run counts both."""
    sink = MemorySink()
    script = [Fault("server_error"), Reply(text="fine", prompt_tokens=1000, completion_tokens=500)]
    with scripted_openai_server(script) as server:
        model = model_at(server.url, timeout=10.0, prompt_price=2.0, completion_price=8.0)
        with RunScope(recorder=sink).bound():
            await model.text("?")

    first, second = sink.records
    assert (first.kind, first.status, first.action, first.attempt) == (
        "model",
        "failed",
        "retried",
        1,
    )
    assert (second.status, second.attempt, second.model) == ("ok", 2, "openai:scripted")
    assert (second.prompt_tokens, second.completion_tokens) == (1000, 500)
    assert second.cost == pytest.approx(0.006)
    assert told_spans(server) == [first.span_id, second.span_id]


def told_spans(server: ScriptedOpenAI) -> list[str]:
    """Return the ids of spans that the calls of a model's server named as their callers."""
    return [call.headers["traceparent"].split("-")[2] for call in server.calls]


@pytest.mark.parametrize("stream", [False, True])
async def test_a_wrapped_agent_is_recorded_once(*, stream: bool) -> None:
    """Its model and tool calls are spans below its nodes, with the tokens and the cost."""

    @tool
    def length(text: str) -> int:
        """Count characters."""
        return len(text)

    script = [
        Reply(tool_calls=[("length", {"text": "환자"})], prompt_tokens=100, completion_tokens=10),
        Reply(text="two", prompt_tokens=120, completion_tokens=5),
    ]
    sink = MemorySink()
    with scripted_openai_server(script) as server:
        model = model_at(server.url, timeout=10.0, prompt_price=1.0, completion_price=1.0)
        chat: Any = model.chat
        chat.streaming = stream
        agent = agent_from_graph(
            create_agent(chat, [length]), name="counter", description="Counts."
        )
        team = Team(name="t", description="…", members=(agent,), router=ScriptedRouter(["counter"]))
        run = await run_team(team.assembled, Task(request="how long?"), RunOptions(recorder=sink))

    assert (run.status, run.answer) == ("ok", "two")
    models = [record for record in sink.records if record.kind == "model"]
    assert [(m.prompt_tokens, m.completion_tokens) for m in models] == [(100, 10), (120, 5)]
    assert [m.cost for m in models] == [pytest.approx(0.00011), pytest.approx(0.000125)]
    assert [record.node for record in sink.records if record.kind == "tool"] == ["length"]
    assert told_spans(server) == [record.span_id for record in models]
    assert run.usage.model_calls == 2
    assert (run.usage.prompt_tokens, run.usage.completion_tokens) == (220, 15)
