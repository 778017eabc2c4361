"""Work that is cancelled with its caller has ended before the caller goes on."""

import asyncio
import time
from pathlib import Path

import pytest

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team
from minerva_platform.testing import EachOnceRouter


@pytest.mark.parametrize("at_work", [False, True], ids=["at once", "at work"])
@pytest.mark.parametrize("thread", [None, "t"], ids=["unkept", "kept"])
async def test_an_ask_that_is_cancelled_leaves_no_task(
    minerva_home: Path, thread: str | None, *, at_work: bool
) -> None:
    """A host that closes its loop next is told of no task that was destroyed."""
    assert minerva_home
    has_begun = asyncio.Event()

    class Waits(BaseAgent[AgentInput, AgentOutput]):
        name, description = "waits", "Waits."
        Input, Output = AgentInput, AgentOutput

        async def work(self, given: AgentInput) -> AgentOutput:
            has_begun.set()
            await asyncio.sleep(3600)
            return AgentOutput(summary=given.request)

    class Blocks(Waits):
        name = "blocks"

        def work(self, given: AgentInput) -> AgentOutput:  # type: ignore[override]  # a worker may be either
            time.sleep(0.2)
            return AgentOutput(summary=given.request)

    team = Team(name="t", members=(Waits(), Blocks()), router=EachOnceRouter())
    before = asyncio.all_tasks()

    asked = asyncio.create_task(team.aask("x", thread=thread))
    await (has_begun.wait() if at_work else asyncio.sleep(0))
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked

    assert asyncio.all_tasks() == before
