"""`Members`: an agent of LangChain's `create_agent` as the supervisor of agents and teams.

Each member is a tool of the agent. LangChain runs each call of a tool as a task of its own, so
what has finished is not repeated when another call pauses. What came of the calls lies in a channel
of the agent's state, so that it survives a pause in another process.
"""

import operator
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, Final, cast

from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.types import Command, Overwrite

from minerva_platform.agents.member_tool import (
    AgentTool,
    CallResult,
    MemberTool,
    Runtime,
    kept_calls,
    note_calls,
    taken_name,
    taken_text,
)
from minerva_platform.assembly.members import make_members
from minerva_platform.config.limits import RunLimits
from minerva_platform.contract.agent import BaseAgent
from minerva_platform.errors import ContractError
from minerva_platform.run_context.effect_place import current_work
from minerva_platform.runtime.modes import refuse_modes
from minerva_platform.runtime.state import MEMBER_RESULTS

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
    from langchain.agents.middleware.types import OmitFromInput
except ImportError as error:
    message = (
        "`Members` is for agents of LangChain, which is not installed; "
        "type: pip install 'minerva-platform[agents]'"
    )
    raise ImportError(message) from error

_TOOL_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
"""What providers take as the name of a tool."""


class MembersState(AgentState[Any]):
    """The state of an agent with members."""

    member_results: Annotated[list[dict[str, Any]], OmitFromInput, operator.add]
    """What came of the calls of this turn: `{"result": …, "handoffs": …}`, in plain JSON."""


class Members(AgentMiddleware[MembersState, Any, Any]):
    """Gives an agent of `create_agent` a tool for each member: an agent or a team.

    A call passes the firewall as a supervisor's does. Its path is the member's name below the
    worker that the agent is, a second one's with `#2`. In a run its hops, bypasses and usage are
    the run's, and it counts in the run's limits. Outside of any run `limits` hold. A failure is an
    error of the tool for the model and costs no other call its answer.

    Raises:
        ContractError: there is no member, one is no agent, a mode cannot be, or two would be the
            same tool.
    """

    state_schema = MembersState

    def __init__(
        self,
        *members: BaseAgent[Any, Any] | type[BaseAgent[Any, Any]],
        limits: RunLimits | None = None,
    ) -> None:
        self.agents = make_members("Members", members, package="")
        refuse_modes(self.agents)
        names = [agent.name for agent in self.agents]
        _check_names(names)
        self.tools: Sequence[BaseTool] = [
            _tool(agent, names=names, limits=limits) for agent in self.agents
        ]

    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any]:  # noqa: ARG002  # the signature is LangChain's
        """Forget the calls of the turn before."""
        return {MEMBER_RESULTS: Overwrite([])}

    async def abefore_agent(self, state: Any, runtime: Any) -> dict[str, Any]:
        """Do the same."""
        return self.before_agent(state, runtime)

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any]:
        """Let the worker answer for the calls so far, whatever the model's call comes to."""
        self._prepare(request)
        return handler(request)

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Do the same."""
        self._prepare(request)
        return await handler(request)

    def _prepare(self, request: ModelRequest[Any]) -> None:
        """Note the calls so far.

        Raises:
            ContractError: another tool of the agent has a member's name.
        """
        work = current_work()
        taken = taken_name(request.tools, (agent.name for agent in self.agents))
        if taken is not None:
            raise ContractError(taken_text(work.path if work else "Members", taken))
        note_calls(kept_calls(cast("Mapping[str, Any]", request.state)), work)


def _check_names(names: Sequence[str]) -> None:
    if not names:
        message = "`Members()` has no members; name the agents or teams that the agent may call."
        raise ContractError(message)
    for name in names:
        if names.count(name) > 1:
            message = (
                f"`Members({', '.join(names)})` has two members called `{name}`, and each is a "
                "tool of its name; give one of them another `name`."
            )
            raise ContractError(message)
        if not _TOOL_NAME.match(name):
            message = (
                f"the member `{name}` of `Members({', '.join(names)})` cannot be a tool: write its "
                "name in snake_case, such as `my_agent`, with at most 64 characters."
            )
            raise ContractError(message)


def _tool(
    agent: BaseAgent[Any, Any], *, names: Sequence[str], limits: RunLimits | None
) -> AgentTool:
    """Return the tool of one member. Its answer is an update of the agent's state."""
    member = MemberTool(agent, name=agent.name, limits=limits)

    async def answer(request: str, config: RunnableConfig, runtime: Runtime | None) -> Any:
        return _update(await member.call(request, config, runtime), agent.name, runtime)

    return AgentTool.of(
        answer,
        name=agent.name,
        description=agent.description,
        member=member.agent,
        beside=tuple(names),
    )


def _update(call: CallResult, tool: str, runtime: Runtime | None) -> Any:
    """Return the update of the state; the bare words if the tool was called by hand."""
    if runtime is None:
        return call.text
    status = "error" if call.has_failed else "success"
    told = ToolMessage(call.text, name=tool, tool_call_id=runtime.tool_call_id, status=status)
    return Command(update={"messages": [told], MEMBER_RESULTS: [call.to_kept()]})
