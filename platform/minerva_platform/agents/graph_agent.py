"""Make an agent from a compiled LangGraph graph.

This is the first step of a migration: the graph's behaviour stays, and only its interface changes.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from minerva_platform.contract.agent import AgentInput, AgentOutput, BaseAgent, InputMode
from minerva_platform.contract.router import OutputMode
from minerva_platform.contract.task import Turn
from minerva_platform.contract.transfer import is_transfer
from minerva_platform.errors import ContractError
from minerva_platform.runtime.modes import refuse_modes

if TYPE_CHECKING:
    from langgraph.graph import StateGraph
    from langgraph.graph.state import CompiledStateGraph


class GraphAgent(BaseAgent[BaseModel, BaseModel]):
    """A compiled graph behind the agent contract."""

    to_state: Callable[[Any], dict[str, Any]] | None = None
    to_output: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None

    @cached_property
    def compiled_graph(self) -> "CompiledStateGraph[Any, Any, Any, Any]":
        """The graph as it was compiled."""
        raise NotImplementedError

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return the graph as its author built it."""
        return self.compiled_graph.builder

    @cached_property
    def graph(self) -> "CompiledStateGraph[Any, Any, Any, Any]":
        """The author's compiled graph, with a listener that records its nodes."""
        from langchain_core.runnables.config import RunnableConfig, merge_configs  # noqa: PLC0415  # langchain is heavy

        from minerva_platform.run_context.langchain_callbacks import GraphListener  # noqa: PLC0415  # only wrapped graphs need it
        from minerva_platform.runtime.update_values import UpdateValues, name_classes  # noqa: PLC0415  # as above

        graph = copy(self.compiled_graph)  # `with_config` would lose the classes of its state
        values = UpdateValues(self.name)
        values.write_as(name_classes(graph, self))
        own: RunnableConfig = {
            "callbacks": [GraphListener(self.name, values.check)],
            "recursion_limit": self.max_steps,
            "metadata": {"lc_agent_name": self.name},
        }
        graph.config = merge_configs(graph.config, own)
        return graph

    def input_to_state(self, payload: BaseModel) -> dict[str, Any]:
        """Return the first state: by `to_state`, as a user message, or field by field."""
        if self.to_state is not None:
            return self.to_state(payload)
        if "messages" in self.compiled_graph.channels:
            return {"messages": _messages(payload)}
        fields = super().input_to_state(payload)
        return {key: value for key, value in fields.items() if key in self.compiled_graph.channels}

    def state_to_output(self, state: Mapping[str, Any]) -> BaseModel:
        """Return the Output: by `to_output`, from the last message, or field by field."""
        if self.to_output is not None:
            return super().state_to_output(self.to_output(state))
        if "summary" not in state and state.get("messages"):
            return super().state_to_output({**state, "summary": _last_text(state["messages"])})
        return super().state_to_output(state)


def agent_from_graph(  # noqa: PLR0913  # each says one thing about the agent
    graph: "CompiledStateGraph[Any, Any, Any, Any]",
    *,
    name: str,
    description: str,
    examples: Sequence[str] = (),
    input_mode: InputMode = "query",
    output_mode: OutputMode = "summary",
    input_model: type[BaseModel] = AgentInput,
    output_model: type[BaseModel] = AgentOutput,
    to_state: Callable[[Any], dict[str, Any]] | None = None,
    to_output: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None,
    background: bool = False,
) -> BaseAgent[Any, Any]:
    """Return an agent that runs a compiled graph, the results of `create_agent` included.

    A graph with a `messages` channel gets the request as a user message (after the conversation,
    with `input_mode="full"`) and answers with its last message. Any other graph exchanges the
    fields of the same name. With `output_mode="history"` a router that reads answers sees the
    messages, too. `to_state` (Input -> first state) and `to_output` (last state -> fields
    of the Output) replace these defaults. With `background`, a call of it starts a run of its own.

    Raises:
        ContractError: a mode cannot be, or a tool of the graph has the name of one of its
            `Members`.
    """
    agent = GraphAgent()
    agent.compiled_graph, agent.to_state, agent.to_output = graph, to_state, to_output
    agent.name, agent.description = name, description
    agent.examples = examples if isinstance(examples, str) else tuple(examples)
    agent.input_mode, agent.output_mode = input_mode, output_mode
    agent.Input, agent.Output = input_model, output_model
    agent.background = background
    refuse_modes([agent])
    _check_members(agent)
    return agent


def _check_members(agent: GraphAgent) -> None:
    """Refuse a graph in which a tool has taken the name of a member.

    Raises:
        ContractError: there is one.
    """
    if "minerva_platform.agents.members" not in sys.modules:
        return
    from minerva_platform.agents.member_tool import taken_name, taken_text  # noqa: PLC0415  # few have members

    for spec in agent.build_graph().nodes.values():
        tools: dict[str, Any] = getattr(spec.runnable, "tools_by_name", {})
        if (taken := taken_name(tools.values())) is not None:
            raise ContractError(taken_text(agent.name, taken))


def _messages(payload: BaseModel) -> list[dict[str, str]]:
    """Return the turns before the request, if it got any, and the request, as messages."""
    turns: tuple[Turn, ...] = getattr(payload, "conversation", ())
    said = [(role, text) for t in turns for role, text in (("user", t.request), ("ai", t.answer))]
    said.append(("user", getattr(payload, "request", "")))
    return [{"role": role, "content": text} for role, text in said]


def _last_text(messages: Sequence[Any]) -> str:
    """Return the last words; that control was passed on is no answer to the person."""
    spoken = [message for message in messages if not is_transfer(message)]
    text = getattr(spoken[-1], "text", None) if spoken else None
    return str(text() if callable(text) and not isinstance(text, str) else text or "")
