"""Puts each of 80 values into a worker's state, asks a person, and looks at it afterwards.

`python paused_types.py ask` and, in another process, `python paused_types.py answer`: each prints a
JSON line per case. Between them lie a question, an answer, and the end of a process.
"""

import json
import os
import sys
from typing import Any

from foreign_types import state_types
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from type_table import state_schema

from minerva_platform import Team
from minerva_platform.langgraph import agent_from_graph
from minerva_platform.testing import EachOnceRouter

ASKED = "Is this right?"


def team_of(case: Any) -> Team:
    """Return a team of one worker whose state holds the value in three places."""
    schema = state_schema(case)

    def make(_: Any) -> dict[str, Any]:
        return {"value": case.make(), "several": [case.make(), {"within": case.make()}]}

    def ask(_: Any) -> dict[str, Any]:
        interrupt(ASKED)
        return {}

    def look(state: Any) -> dict[str, Any]:
        seen = (state["value"], state["several"][0], state["several"][1]["within"])
        changed = [repr(each) for each in seen if not case.same(case.make(), each)]
        return {"summary": f"changed: {changed[0]}" if changed else "same"}

    steps: Any = [make, ask, look]
    graph = StateGraph(schema)
    graph.add_sequence(steps)
    graph.add_edge(START, "make")
    worker = agent_from_graph(graph.compile(), name="keeper", description="Keeps a value.")
    return Team(name="keepers", members=[worker], router=EachOnceRouter())


def main() -> None:
    """Ask all, or answer all that ask."""
    for place, case in enumerate(state_types.CASES):
        if case.name not in os.environ["MINERVA_TYPES"].split(","):
            continue
        team = team_of(case)
        thread = f"case-{place}"
        if sys.argv[1] == "ask":
            run = team.ask("Keep it.", thread=thread)
        else:
            waiting = json.loads(sys.argv[2])
            if case.name not in waiting:
                continue
            run_id, question = waiting[case.name]
            run = team.resume(run_id, {question: {"type": "respond", "message": "yes"}})
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
