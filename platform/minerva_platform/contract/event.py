"""The events of a run, for whoever watches it: the command line, a client of the server, a page."""

from typing import Any, Literal

from pydantic import Field

from minerva_platform.contract.values import Frozen

EventType = Literal[
    "run_started",
    "routed",
    "call_started",
    "call_finished",
    "call_failed",
    "call_bypassed",
    "question",
    "decided",
    "notice",
    "text",
    "run_paused",
    "run_ended",
]
"""What happened.

- `run_started`: a process begins with the run, or goes on with it (`resume_no` in `data`).
- `routed`: a router decided; `goals`, `router` and `unserved` are in `data`.
- `call_started`, `call_finished`, `call_failed`: a call of a member; `kind` is `worker` or `team`.
- `call_bypassed`: what was done about a failed call: `action`, and `because_of` if it has one.
- `question`: a question to a person, as `minerva ask --json` prints it.
- `decided`: a person decided about it: `interrupt_id`, `type` and `by`.
- `notice`: a background run of the thread has ended since its last turn: `run_id` and `status`.
- `text`: a piece of the answer. Answers are checked as a whole, so there is one piece.
- `run_paused`: the run waits for a person. `run_ended`: it is over; `status` and `reason`.
"""


class Event(Frozen):
    """One event. `seq` numbers the events of a run from 1, without a gap."""

    seq: int = 0
    type: EventType
    path: str
    """Where: `platform/data/retrieval_agent`."""
    agent: str = ""
    """The member's own name: `retrieval_agent`; empty if the event is of no single member."""
    at: float
    """When, in seconds since 1970."""
    data: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def of(
        cls, kind: EventType, path: str, /, *, at: float, is_run: bool = False, **data: Any
    ) -> "Event":
        """Return an event of the member at `path`, or of the run itself."""
        agent = "" if is_run else path.rpartition("/")[2].partition("#")[0]
        return cls(type=kind, path=path, agent=agent, at=at, data=data)
