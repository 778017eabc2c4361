"""A worker's question to a person: small, plain JSON, checked before it passes a border.

The question lies in every checkpoint above the worker and in the run object. So a question that
cannot be written would end the run instead of the worker.
"""

import json
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import orjson
from langgraph.errors import GraphBubbleUp, GraphInterrupt, ParentCommand
from langgraph.types import Interrupt

from minerva_platform.contract.bounds import MAX_INTERRUPT_BYTES, MAX_INTERRUPTS
from minerva_platform.errors import OutputError, OutputLimitError, UnkeptPauseError
from minerva_platform.run_context.context import run_or_none
from minerva_platform.run_context.failures.containment import exit_error


@contextmanager
def only_pauses(agent: str) -> Generator[None]:
    """Pass on a question of `agent` to a person; its other ways out of a graph become errors.

    Raises:
        GraphInterrupt: the agent asks a person, and may.
        OutputError: its question cannot be asked, or the agent tried to leave its own graph.
        OutputLimitError: the question is too large.
        UnkeptPauseError: nothing of the run is kept, so nobody could answer.
        AgentExitError: the agent raised what would pass for a pause, but asks nothing.
    """
    try:
        yield
    except GraphInterrupt as pause:
        check_pause(agent, pause)
        run = run_or_none()
        if run is not None and not run.may_pause:
            raise UnkeptPauseError(agent) from pause
        raise
    except ParentCommand as error:
        reason = (
            "it tried to leave its own graph by Command(graph=…), which only a member of a "
            "`Network` may."
        )
        raise OutputError(agent, reason) from error
    except GraphBubbleUp as error:
        raise exit_error(agent, error) from error


def check_pause(agent: str, pause: GraphInterrupt) -> None:
    """Accept the questions in `pause`, or refuse them as a failure of `agent`.

    Raises:
        OutputError: there is no question, or it is no JSON.
        OutputLimitError: there are too many questions, or they are too large.
    """
    asked = cast("object", pause.args[0] if pause.args else ())
    if not isinstance(asked, list | tuple) or not asked:
        raise OutputError(agent, f"it paused without a question; {_WAY_OUT}")
    questions = cast("Sequence[Any]", asked)
    if len(questions) > MAX_INTERRUPTS:
        reason = (
            f"it asked {len(questions):,} questions at once; at most {MAX_INTERRUPTS} may be asked."
        )
        raise OutputLimitError(agent, reason)
    size = 0
    for question in questions:
        kind = cast("type[object]", type(question))  # keeps the question itself of type Any
        if not issubclass(kind, Interrupt) or not isinstance(question.id, str):
            raise OutputError(agent, f"it raised a GraphInterrupt itself; {_WAY_OUT}")
        size += _size(agent, question, MAX_INTERRUPT_BYTES - size)
    if size > MAX_INTERRUPT_BYTES:
        reason = (
            f"its questions to people have {size:,} bytes of JSON; at most {MAX_INTERRUPT_BYTES:,} "
            "may be. Put what is long into an artifact and ask about it."
        )
        raise OutputLimitError(agent, reason)


_WAY_OUT = "ask with `interrupt({…})` from langgraph.types."


def _size(agent: str, question: Interrupt[Any], room: int) -> int:
    """Return the bytes of a question as JSON, which is looked at if it fits into the room.

    Raises:
        OutputError: it is no JSON.
    """
    schema = question.response_schema
    shown = [question.value, question.id, schema if isinstance(schema, dict) else None]
    try:
        size = len(orjson.dumps(shown))
        if size <= room:
            json.dumps(shown, allow_nan=False, default=str)  # orjson writes NaN as null
    except (TypeError, ValueError) as error:
        reason = f"its question to a person cannot be written as JSON: {error}."
        raise OutputError(agent, reason) from error
    return size
