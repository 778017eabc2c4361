"""Many questions at once are admitted in their order, so that the first is answered early."""

import asyncio
from pathlib import Path

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team
from minerva_platform.contract.askable import AT_ONCE
from minerva_platform.testing import EachOnceRouter

ASKED = 3 * AT_ONCE


async def test_asks_at_once_are_admitted_in_their_order(minerva_home: Path) -> None:
    """No clock runs before a run has its place, and what a worker asks in turn needs none."""
    assert minerva_home
    at_work, most = 0, 0
    began: list[str] = []

    class Inner(BaseAgent[AgentInput, AgentOutput]):
        name, description = "inner", "Answers."
        Input, Output = AgentInput, AgentOutput

        async def work(self, given: AgentInput) -> AgentOutput:
            return AgentOutput(summary=given.request)

    inner = Team(name="within", members=(Inner(),), router=EachOnceRouter())

    class Counts(BaseAgent[AgentInput, AgentOutput]):
        name, description = "counts", "Counts."
        Input, Output = AgentInput, AgentOutput

        async def work(self, given: AgentInput) -> AgentOutput:
            nonlocal at_work, most
            began.append(given.request)
            at_work += 1
            most = max(most, at_work)
            answer = (await inner.aask(given.request)).answer
            at_work -= 1
            return AgentOutput(summary=answer)

    team = Team(name="t", members=(Counts(),), router=EachOnceRouter())
    requests = [str(number) for number in range(ASKED)]

    runs = await asyncio.gather(*map(team.aask, requests))

    assert [run.answer for run in runs] == requests
    assert began == requests
    assert most <= AT_ONCE
