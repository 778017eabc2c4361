"""Record what happens inside a graph that somebody else built.

Nodes of our own graphs are timed by their wrapper (`nodes`); a wrapped LangGraph graph or
`create_agent` agent is listened to through LangChain's callbacks: nodes, models and tools.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.outputs import LLMResult
from langgraph.errors import GraphBubbleUp

from minerva_observability import Span, current_span, record_span
from minerva_observability.record import Kind, SpanFields

# ruff: noqa: ARG002  # the signatures are LangChain's


class GraphListener(BaseCallbackHandler):
    """Turns LangChain callbacks into spans under the agent that is running.

    It runs inline: a handler in a thread of its own costs 13 times as much, and would lose
    the order of starts.
    """

    run_inline = True

    def __init__(self, agent_name: str) -> None:
        self.agent_name = agent_name
        self.open: dict[UUID, Span] = {}

    def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Open a node's span; LangGraph marks nodes by a tag, the rest is plumbing."""
        tags: list[str] = kwargs.get("tags") or []
        node = _metadata(kwargs).get("langgraph_node")
        if node and any(tag.startswith("graph:step:") for tag in tags):
            self._enter(run_id, "node", {"node": str(node)})

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Close it."""
        self._exit(run_id)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Close it as failed, or as paused: an interrupt also comes as an error."""
        self._exit(run_id, error)

    def on_chat_model_start(
        self, serialized: Any, messages: Any, *, run_id: UUID, **kwargs: Any
    ) -> None:
        """Open a model call's span."""
        model = _metadata(kwargs).get("ls_model_name", "unknown")
        self._enter(run_id, "model", {"model": str(model)})

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Close it with the tokens that the provider counted."""
        span = self.open.get(run_id)
        usage = _usage(response)
        if span is not None and usage:
            span.set(
                prompt_tokens=usage.get("input_tokens", 0),
                completion_tokens=usage.get("output_tokens", 0),
            )
        self._exit(run_id)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Close it as failed."""
        self._exit(run_id, error)

    def on_tool_start(
        self, serialized: dict[str, Any], input_str: str, *, run_id: UUID, **kwargs: Any
    ) -> None:
        """Open a tool call's span."""
        self._enter(run_id, "tool", {"node": str((serialized or {}).get("name", "tool"))})

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Close it."""
        self._exit(run_id)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Close it as failed."""
        self._exit(run_id, error)

    def _enter(self, run_id: UUID, kind: Kind, fields: SpanFields) -> None:
        above = current_span()
        path = above.path if above else self.agent_name
        span = record_span(kind=kind, path=path, **fields)
        span.set(agent_name=self.agent_name)
        if above and "team" in above.fields:
            span.set(team=above.fields["team"])
        self.open[run_id] = span.__enter__()

    def _exit(self, run_id: UUID, error: BaseException | None = None) -> None:
        span = self.open.pop(run_id, None)
        if span is None:
            return
        if isinstance(error, GraphBubbleUp):
            span.set(status="paused")
        elif error is not None:
            span.set_error(error)
        span.__exit__(None, None, None)


def _metadata(kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
    return kwargs.get("metadata") or {}


def _usage(response: LLMResult) -> Any:
    for generations in response.generations:
        for generation in generations:
            usage = getattr(getattr(generation, "message", None), "usage_metadata", None)
            if usage:
                return usage
    return None
