"""`minerva audit`: each decision with what was done then, and with nothing that is a secret."""

import json
from pathlib import Path
from typing import Any

import pytest

from minerva_platform import Task, Team, ask_approval, effect
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.testing import EachOnceRouter, StubAgent


@effect("once", target="invoice")
def pay(invoice: int, note: str) -> str:
    """Pay an invoice."""
    return f"paid {invoice} {note}"


@pytest.mark.slow
async def test_a_decision_has_the_effects_that_followed_it(invoke: Any, minerva_home: Path) -> None:
    """Of two decisions of one batch, each has its own; a rejected one has none."""

    def work(_: Any) -> dict[str, str]:
        said = [
            ask_approval("Pay?", tool="pay", arguments={"invoice": each, "note": "900101-1234568"})
            for each in (7, 8)
        ]
        paid = [pay(**each) for each in said if each]
        return {"summary": ", ".join(paid)}

    team = Team(name="till", description="…", members=(StubAgent("teller", behave=work),),
                router=EachOnceRouter())  # fmt: skip
    with opened_engine(minerva_home / "state.db") as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await run_team(team.assembled, Task(request="pay 7 and 8"), options)
        while run.status == "needs_human":
            yes = {each.id: "approve" for each in run.interrupts}
            run = await resume_team(team.assembled, run.run_id, DecisionBatch(yes), options)
    lines = [json.loads(line) for line in invoke("audit").stdout.splitlines()]

    asked = [each["question"]["arguments"]["invoice"] for each in lines]
    paid = [[did["arguments"]["invoice"] for did in each["effects"]] for each in lines]
    assert (asked, paid) == ([7, 8], [[7], [8]]), run
    assert {did["outcome"] for each in lines for did in each["effects"]} == {"done"}
    assert "900101-1234568" not in json.dumps(lines)
    assert [each["decision"] for each in lines] == [{"type": "approve"}] * 2
