"""A worker whose state is written and read back between all its steps, as after a crash at each."""

from collections.abc import Mapping
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from minerva_platform import BaseAgent
from minerva_platform.storage.checkpoints.serializer import StrictSerializer


async def in_steps(agent: BaseAgent[Any, Any], payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the output of `agent`, which goes on from what is kept after each of its steps."""
    saver = InMemorySaver(serde=StrictSerializer())
    config: Any = {"configurable": {"thread_id": "t", "__pregel_checkpointer": saver}}
    state: Any = agent.input_to_state(agent.Input.model_validate(payload))
    final: dict[str, Any] = {}
    while state is not None or (await agent.graph.aget_state(config)).next:
        final = await agent.graph.ainvoke(state, config, interrupt_after="*")
        state = None
    output: dict[str, Any] = agent.state_to_output(final).model_dump(mode="json")
    return output
