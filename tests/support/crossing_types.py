"""Hands each of 80 values from one worker to another, between them a question and a new process.

`python crossing_types.py ask` and, in another process, `python crossing_types.py answer WAITING`:
each prints a JSON line per case.
"""

import json
import os
import sys
from typing import Any

from foreign_types import handoff_types
from pydantic import BaseModel, create_model
from type_table import handoff_model

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team, ask_person
from minerva_platform.assembly.assemble import assembled_alone
from minerva_platform.testing import EachOnceRouter
from minerva_platform.validation.team_declarations import find_problems


class Yes(BaseModel):
    """What a person answers."""

    yes: bool = True


def team_of(case: Any) -> Team:
    """Return a team of a worker that gives the value, and one that asks and looks at it."""
    given = handoff_model(case)
    taken: Any = create_model(
        "TakenInput", __base__=AgentInput, __module__=handoff_types.__name__, given=(given, ...)
    )
    output: Any = create_model(
        "GivenOutput", __base__=AgentOutput, __module__=handoff_types.__name__, given=(given, ...)
    )

    class Giver(BaseAgent[Any, Any]):
        name, description = "giver", "Gives a value."
        Input, Output = AgentInput, output

        def work(self, given_input: Any) -> Any:  # noqa: ARG002  # the signature is a worker's
            value = case.make()
            return output(summary="given", given=given(value=value))

    class Taker(BaseAgent[Any, Any]):
        name, description = "taker", "Takes a value."
        Input, Output = taken, AgentOutput

        def work(self, taken_input: Any) -> Any:
            seen = taken_input.given.value
            ask_person("Is this right?", answer=Yes)
            is_same = case.same(given(value=case.make()).value, seen)
            return AgentOutput(summary="same" if is_same else f"changed: {seen!r}")

    return Team(name="crossing", members=[Giver(), Taker()], router=EachOnceRouter())


def main() -> None:
    """Ask all, or answer all that ask."""
    for place, case in enumerate(handoff_types.CASES):
        if case.name not in os.environ["MINERVA_TYPES"].split(","):
            continue
        team = team_of(case)
        if sys.argv[1] == "ask":
            problems = find_problems(assembled_alone(team), alone=True)
            if problems:
                told = {"case": case.name, "status": "refused", "asks": [], "summary": problems[0]}
                sys.stdout.write(json.dumps(told) + "\n")
                continue
            run = team.ask("Cross it.", thread=f"case-{place}")
        else:
            waiting = json.loads(sys.argv[2])
            if case.name not in waiting:
                continue
            run_id, question = waiting[case.name]
            run = team.resume(run_id, {question: {"type": "respond", "value": {"yes": True}}})
        told = {
            "case": case.name,
            "status": run.status,
            "run": run.run_id,
            "asks": [each.id for each in run.interrupts],
            "failures": [str(each) for each in run.bypassed],
            "summary": run.answer,
        }
        sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
