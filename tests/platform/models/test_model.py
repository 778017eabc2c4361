"""A model's typed answers fit or are errors; the configuration names it in one line."""

import asyncio
import subprocess
import sys
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ValidationError

from minerva_platform import RunLimits, SettingsError, Task, Team
from minerva_platform.config.model_spec import ModelSpec, model_spec
from minerva_platform.durable.active_run import run_team
from minerva_platform.errors import ModelOutputError, ModelRequestError, ModelUnavailableError
from minerva_platform.models.model import Model
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import Fault, Reply, ScriptedRouter, StubAgent, scripted_openai_server

pytestmark = pytest.mark.usefixtures("fresh_models")


class Choice(BaseModel):
    """A closed answer."""

    member: Literal["a", "b"]
    words: list[str]


def spec(url: str, **more: Any) -> ModelSpec:
    """Return the spec of the scripted model."""
    return ModelSpec(name="openai:scripted", base_url=url, timeout=5.0, **more)


GOOD = {"member": "a", "words": ["x"]}


@pytest.mark.parametrize("structured", ["json_schema", "function_calling"])
async def test_a_typed_answer(structured: Any) -> None:
    """Asked for by a strict JSON schema, or by one tool that must be called."""
    with scripted_openai_server({"pick": Reply(json=GOOD)}) as server:
        model = Model(spec(server.url, structured=structured))

        answer = await model.ask("which?", schema=Choice, name="pick", system="Choose.")

    assert answer == Choice(member="a", words=["x"])
    (call,) = server.calls
    assert [message["role"] for message in call.messages] == ["system", "user"]
    assert call.schema_name == "pick"
    assert "temperature" not in call.body
    assert call.body.get("response_format", {}).get("json_schema", {"strict": True})["strict"]


async def test_a_temperature_is_sent_when_it_is_set() -> None:
    """A reasoning model refuses it, so nothing is sent by default."""
    with scripted_openai_server([Reply(text="x")]) as server:
        await Model(spec(server.url, temperature=0.0, max_tokens=9)).text("?")

    assert server.calls[0].body["temperature"] == 0.0
    assert server.calls[0].body["max_completion_tokens"] == 9


async def test_a_model_without_json_schema_is_asked_by_a_tool() -> None:
    """It says so once; from then on the tool is used at once."""

    def script(call: Any) -> Any:
        return Fault("unsupported") if "response_format" in call.body else Reply(json=GOOD)

    with scripted_openai_server(script) as server:
        model = Model(spec(server.url))
        for _ in range(2):
            assert (await model.ask("which?", schema=Choice)).member == "a"

    assert ["response_format" in call.body for call in server.calls] == [True, False, False]


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text="a"),
        Reply(text=""),
        Reply(json={"member": "A", "words": []}),
        Reply(json={"member": "a"}),
        Reply(json={"member": "a", "words": "x"}),
        Reply(text='{"member": "a", "words": ["x"]} and more'),
        Reply(json=[GOOD]),
        Reply(text="null"),
    ],
)
async def test_what_does_not_fit_is_an_error(reply: Reply) -> None:
    """Nothing is repaired, folded or guessed; what it said is not quoted."""
    with scripted_openai_server([reply]) as server, pytest.raises(ModelOutputError) as caught:
        await Model(spec(server.url)).ask("which?", schema=Choice)

    assert "and more" not in str(caught.value)


async def test_azures_form_of_address() -> None:
    """The deployment stands in the path, the version in the query, the key in a header."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AZURE_OPENAI_API_KEY", "azure-key")
        with scripted_openai_server([Reply(json=GOOD)]) as server:
            azure = ModelSpec(
                name="azure_openai:my-gpt", base_url=server.root, api_version="2025-01-01"
            )
            assert (await Model(azure).ask("?", schema=Choice)).member == "a"

    (call,) = server.calls
    assert call.path == "/openai/deployments/my-gpt/chat/completions?api-version=2025-01-01"
    assert call.headers["api-key"] == "azure-key"


async def test_azure_is_asked_for_chat_completions_whatever_the_model() -> None:
    """langchain-openai would ask another interface for some names, which the guard cannot read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AZURE_OPENAI_API_KEY", "azure-key")
        with scripted_openai_server([Reply(json=GOOD)]) as server:
            azure = ModelSpec(
                name="azure_openai:gpt-5-codex", base_url=server.root, api_version="2025-01-01"
            )
            assert (await Model(azure).ask("?", schema=Choice)).member == "a"

    (call,) = server.calls
    assert call.path.startswith("/openai/deployments/gpt-5-codex/chat/completions?")


def test_one_model_serves_many_event_loops() -> None:
    """A pool of connections belongs to a loop; the model does not."""
    with scripted_openai_server(lambda _: Reply(text="x")) as server:
        model = Model(spec(server.url))
        for _ in range(3):
            assert asyncio.run(model.text("?")) == "x"
        assert model.chat.invoke("?").text == "x"
        assert "".join(chunk.text for chunk in model.chat.stream("?")) == "x"


async def test_many_calls_at_once() -> None:
    """They share a pool and do not mix."""
    with scripted_openai_server(lambda call: Reply(text=call.prompt)) as server:
        model = Model(spec(server.url))
        answers = await asyncio.gather(*(model.text(f"n{number}") for number in range(20)))

    assert answers == [f"n{number}" for number in range(20)]


async def test_the_runs_budget_of_calls_holds() -> None:
    """Over all who ask; the run ends with what is there and says why."""
    with scripted_openai_server(lambda _: Reply(text="x")) as server:
        model = Model(spec(server.url))

        async def ask(_: Any) -> dict[str, Any]:
            texts = [await model.text("?") for _ in range(3)]
            return {"summary": " ".join(texts)}

        members = (StubAgent("a", behave=ask), StubAgent("b", behave=ask))
        team = Team(name="t", description="…", members=members, router=ScriptedRouter("a", "b"))
        run = await run_team(
            team.assembled, Task(request="go"), RunOptions(limits=RunLimits(model_calls=4))
        )

    assert len(server.calls) == 4
    assert run.status == "ok_degraded"
    assert "4 model calls are spent" in str(run.bypassed)


@pytest.mark.parametrize("name", ["gpt-5", "openai:", "anthropic:claude", "", "openai:a b"])
def test_a_name_that_is_no_model_is_refused(name: str) -> None:
    """With how it is written."""
    with pytest.raises(ValidationError, match="openai:gpt-5-mini"):
        ModelSpec.model_validate(name)


def test_the_variable_goes_before_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """And switches models off when it is empty."""
    configured = ModelSpec(name="openai:a")
    assert model_spec(configured) is configured
    monkeypatch.setenv("MINERVA_MODEL", "openai:b")
    named = model_spec(configured)
    assert named is not None
    assert (named.provider, named.model) == ("openai", "b")
    monkeypatch.setenv("MINERVA_MODEL", "")
    assert model_spec(configured) is None


def test_a_missing_key_is_said_before_anything_is_sent() -> None:
    """With the variable to set; a server of one's own needs none."""
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        _ = Model(ModelSpec(name="openai:gpt-5-mini")).chat
    with pytest.raises(SettingsError, match="AZURE_OPENAI_API_KEY"):
        _ = Model(ModelSpec(name="azure_openai:x", base_url="http://127.0.0.1:1")).chat
    _ = Model(spec("http://127.0.0.1:1/v1")).chat


async def test_a_server_that_is_not_there() -> None:
    """The client's own error becomes ours."""
    with pytest.raises(ModelUnavailableError, match="cannot be reached"):
        await Model(spec("http://127.0.0.1:9/v1")).text("?")


async def test_a_refused_request_is_not_sent_again() -> None:
    """It would be refused again; the provider's reason is told."""
    with scripted_openai_server([]) as server:
        with pytest.raises(ModelRequestError, match=r"\(400\): The script has no answer"):
            await Model(spec(server.url)).text("?")

        assert len(server.calls) == 1


def test_without_a_model_its_libraries_are_not_loaded() -> None:
    """They cost a second."""
    code = "import minerva_platform.models.model, sys; print('langchain_openai' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "False"
