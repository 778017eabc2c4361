"""Run one worker without a supervisor."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from minerva_observability import record_span
from minerva_platform.errors import AgentError, BindingError, RunError
from minerva_platform.run_context.deadline import within
from minerva_platform.run_context.pause import only_pauses
from minerva_platform.runtime.border.firewall import hide_sensitive, read_output
from minerva_platform.runtime.isolation.call import isolated_output
from minerva_platform.tools.held import holding

if TYPE_CHECKING:
    from minerva_platform.contract.agent import BaseAgent

_NOBODY_TO_ASK = (
    "`{agent}` asks a person (interrupt), and a worker that is called alone has no person to ask; "
    "let it run in a team: Team(name=…, members=[…])."
)


async def run_standalone(agent: "BaseAgent[Any, Any]", payload: BaseModel) -> BaseModel:
    """Run a worker without a supervisor. A failure is raised, not turned into data.

    Raises:
        RunError: the agent is a team.
        BindingError: `payload` is not its Input.
    """
    if agent.is_team:
        message = f"`{agent.name}` is a team; ask it: `ask(…)`, or `await aask(…)`."
        raise RunError(message)
    if not isinstance(payload, agent.Input):
        reason = f"is {type(payload).__name__}, not {agent.Input.__name__}; `invoke` takes a dict."
        raise BindingError(agent.name, "(whole)", reason)
    hide_sensitive(agent, payload)
    with record_span(kind="agent", path=agent.name, agent_name=agent.name):
        if agent.isolation == "process":
            return await isolated_output(agent, payload, path=agent.name)
        work = agent.graph.ainvoke(agent.input_to_state(payload))
        async with holding():
            with only_pauses(agent.name):
                final = await within(work, seconds=agent.timeout, path=agent.name)
        if isinstance(final, Mapping) and "__interrupt__" in final:
            raise AgentError(_NOBODY_TO_ASK.format(agent=agent.name))
        return read_output(agent, final)
