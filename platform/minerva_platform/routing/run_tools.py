"""The tools by which a model asks about the background runs of its conversation.

They are no members: a call of one is answered within the decision, and makes no hop.
"""

from collections.abc import Mapping
from typing import Any, Final

from minerva_platform.contract.router import RunQuestions

STATUS, RESULT, CANCEL = "run_status", "run_result", "cancel_run"
RUN_TOOLS: Final[Mapping[str, str]] = {
    STATUS: (
        "Look how a background run of this conversation goes. An empty `run_id` lists all of them."
    ),
    RESULT: "Read what came of a background run of this conversation.",
    CANCEL: "Stop a background run of this conversation.",
}
"""What each tool does, by its name."""
RUN_ID: Final = "The id of the run, or the beginning of it."
LEAD: Final = (
    " A member that works in the background answers at once with the id of a run. Its work goes on "
    "after your answer, so do not wait for it: tell the person the id. The person may ask about "
    "such runs later."
)
"""What a model is told that leads such members."""
IN_BACKGROUND: Final = (
    " It works in the background: its call starts a run and returns the run's id."
)
_MAX_ID: Final = 64


async def asked(runs: RunQuestions, name: str, args: Mapping[str, Any]) -> str:
    """Return the answer of the tool `name`."""
    run_id = str(args.get("run_id") or "")[:_MAX_ID]
    if name == STATUS:
        return await runs.status(run_id)
    if name == RESULT:
        return await runs.result(run_id)
    return await runs.cancel(run_id)


def note_of(name: str, args: Mapping[str, Any]) -> str:
    """Return what later decisions of the visit read of a call: what was called, no more."""
    run_id = str(args.get("run_id") or "")
    return f"I called {name}({run_id if run_id.isalnum() and len(run_id) <= _MAX_ID else ''})."
