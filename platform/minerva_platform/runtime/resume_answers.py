"""Where a person's answer reaches the code that asked: only if that still asks what was shown.

LangGraph gives an answer to whatever a step asks at the place of the question when it runs again.
So no answer is given to LangGraph. Its `interrupt` looks for one in the scratchpad of its task, and
in those around it; the outermost is made here, and compares first. If something else is asked now,
it has no answer, and `interrupt` asks anew.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from inspect import currentframe
from itertools import count
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langgraph._internal import _constants as keys  # pyright: ignore[reportPrivateImportUsage]  # nothing public names them
from langgraph._internal._scratchpad import PregelScratchpad  # pyright: ignore[reportPrivateImportUsage]  # the same
from langgraph.errors import GraphInterrupt
from langgraph.types import Interrupt

from minerva_platform.people.langgraph_questions import (
    EARLIER,
    GIVEN,
    Answer,
    Questions,
    asked_in,
    to_earlier,
    to_interrupt,
)
from minerva_platform.run_context.context import current_run
from minerva_platform.run_context.effect_place import current_work


def answering_config(config: RunnableConfig) -> RunnableConfig:
    """Return `config` of a kept run's graph, in which questions find what the ledger knows."""
    questions = current_run().questions

    def answer(consume: bool = False) -> Any:  # noqa: FBT001, FBT002  # the signature is LangGraph's
        asked = _open_question() if consume else None
        work = current_work()  # none of the root's own code
        found = asked and questions.answer_to(asked, work.path if work else None)
        return _resume_value(found, asked) if asked and found else None

    kinds = ("call_counter", "interrupt_counter", "subgraph_counter")
    counters: dict[str, Any] = {kind: count().__next__ for kind in kinds}
    pad = PregelScratchpad(step=0, stop=0, resume=[], get_null_resume=answer, **counters)
    return {"configurable": {**config.get("configurable", {}), keys.CONFIG_KEY_SCRATCHPAD: pad}}


@asynccontextmanager
async def host_answers() -> AsyncGenerator[None]:
    """Give the graphs of the block the answers of the host's graph around it.

    What was shown lies in the host's checkpoint: there the step that now runs again has paused.
    """
    config = var_child_runnable_config.get()
    given = config.get("configurable", {}) if config else {}
    pad: PregelScratchpad | None = given.get(keys.CONFIG_KEY_SCRATCHPAD)
    if config is None or pad is None or given.get(keys.CONFIG_KEY_CHECKPOINTER) is None:
        yield
        return
    by_id: Mapping[str, Any] = given.get(keys.CONFIG_KEY_RESUME_MAP) or {}
    questions = current_run().questions
    if given.get(keys.CONFIG_KEY_RESUMING):
        bare = pad.get_null_resume(False)  # noqa: FBT003  # the signature is LangGraph's
        shown = await _shown_by_host(given)
        if len(shown) == 1:
            by_id = {each: bare for each in shown if bare is not None} | dict(by_id)
        for each, surfaced in shown.items():
            if each in by_id:
                question = to_interrupt(surfaced, path="", now=0)
                questions.answers[each] = Answer(question, by_id[each])

    def answer(consume: bool = False) -> Any:  # noqa: FBT001, FBT002  # the signature is LangGraph's
        asked = _open_question() if consume else None
        return asked and _host_answer(questions, asked, pad)

    own = replace(pad, resume=[], get_null_resume=answer)
    mine = {**given, keys.CONFIG_KEY_SCRATCHPAD: own, keys.CONFIG_KEY_RESUME_MAP: None}
    token = var_child_runnable_config.set({**config, "configurable": mine})
    try:
        yield
    finally:
        var_child_runnable_config.reset(token)


def _host_answer(questions: Questions, asked: "Interrupt[Any]", pad: PregelScratchpad) -> Any:
    """Return a host's answer to what is asked. If it is stale, old is asked beside new.

    Raises:
        GraphInterrupt: something else is asked now than was shown.
    """
    before = questions.answers.get(asked.id)
    if before is None:
        return None
    answer = questions.answer_to(asked, "")
    pad.get_null_resume(True)  # noqa: FBT003  # it is used up either way
    value: Any = asked.value
    if answer is not None:
        return _resume_value(answer, asked)
    if not isinstance(value, dict):
        return None
    told = {**cast("dict[str, Any]", value), EARLIER: to_earlier(before.question)}
    again = Interrupt(told, asked.id, response_schema=asked.response_schema)
    raise GraphInterrupt((again,))


def _resume_value(answer: Answer, asked: "Interrupt[Any]") -> Any:
    """Return what `interrupt` gives; LangGraph gives it again to whatever a retry asks there."""
    match asked.value:
        case {"type": "minerva.question"}:  # `ask_person` compares then
            shown = to_interrupt(asked, path="", now=0).shown_sha256
            return {GIVEN: [shown, answer.value]}
        case _:
            return answer.value


async def _shown_by_host(configurable: Mapping[str, Any]) -> "dict[str, Interrupt[Any]]":
    """Return the questions with which the running step has paused before, by LangGraph's ids."""
    around = str(configurable[keys.CONFIG_KEY_CHECKPOINT_NS]).rpartition("|")[0]
    its = {
        keys.CONFIG_KEY_THREAD_ID: configurable.get(keys.CONFIG_KEY_THREAD_ID),
        keys.CONFIG_KEY_CHECKPOINT_NS: around,
        keys.CONFIG_KEY_CHECKPOINT_ID: configurable.get(keys.CONFIG_KEY_CHECKPOINT_MAP, {}).get(
            around
        ),
    }
    found = await configurable[keys.CONFIG_KEY_CHECKPOINTER].aget_tuple({"configurable": its})
    task = configurable.get(keys.CONFIG_KEY_TASK_ID)
    pending = found.pending_writes if found and found.pending_writes else ()
    asked = [value for its, name, value in pending if (its, name) == (task, keys.INTERRUPT)]
    return {each.id: each for several in asked for each in several}


def _open_question() -> "Interrupt[Any] | None":
    """Return what the nearest call of `interrupt` below this asks."""
    frame = currentframe()  # `interrupt` tells nobody else
    while frame is not None:
        if (asked := asked_in(frame)) is not None:
            return asked
        frame = frame.f_back
    return None
