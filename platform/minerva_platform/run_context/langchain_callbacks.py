"""Record the nodes, models and tools of a graph that MINERVA did not build.

The wrapper in `runtime.recorded_nodes` times the nodes of MINERVA's own graphs. A wrapped LangGraph
graph or a `create_agent` agent is recorded through LangChain's callbacks.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any, Unpack
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler, BaseCallbackManager
from langchain_core.outputs import LLMResult
from langchain_core.runnables.config import RunnableConfig, var_child_runnable_config
from langgraph.errors import GraphBubbleUp, GraphInterrupt

from minerva_observability import Span, current_span, record_span
from minerva_observability.records import Kind, SpanFields
from minerva_platform.config.model_spec import model_name
from minerva_platform.errors import ModelUnavailableError, OutputError
from minerva_platform.run_context.context import count_model_call, run_or_none
from minerva_platform.run_context.effect_place import note_step
from minerva_platform.run_context.failures.containment import came_from_outside, running_task
from minerva_platform.run_context.pause import check_pause
from minerva_platform.run_context.recorded_failures import mark_failed

# ruff: noqa: ARG002  # the signatures are LangChain's

heard_call: ContextVar[Span | None] = ContextVar("minerva_heard_call", default=None)
"""The span of the model's call that a listener has recorded last in this context."""


class GraphListener(BaseCallbackHandler):
    """Turns LangChain callbacks into spans under the agent that is running.

    It runs inline, because a handler in an OS thread of its own costs 13 times as much and would
    lose the order of starts. Starts and ends come in different contexts, so LangChain's own ids say
    which span is inside which.

    It also applies the run's limits to models that are not MINERVA's.
    """

    run_inline = True
    raise_error = True
    """True, because LangChain would otherwise log a limit's error and go on."""

    def __init__(self, agent_name: str, check: Callable[[str, Any], None] | None = None) -> None:
        """Record under `agent_name`; `check` gets each node's name, and what it returned."""
        self.agent_name, self._check = agent_name, check
        self._nodes: dict[UUID, str] = {}
        self.open: dict[UUID, Span] = {}
        self.around: dict[UUID, Span | None] = {}
        """The span that each open LangChain run is, or is inside of."""

    def on_chain_start(
        self,
        serialized: Any,
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,
    ) -> None:
        """Open a node's span. LangGraph marks nodes by a tag; other chains are internal."""
        tags: list[str] = kwargs.get("tags") or []
        node = _metadata(kwargs).get("langgraph_node")
        if node and any(tag.startswith("graph:step:") for tag in tags):
            note_step(_metadata(kwargs))
            self._nodes[run_id] = str(node)
            self._begin("node", run_id, parent_run_id, node=str(node))
        else:
            self.around[run_id] = self._outer(parent_run_id)

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Close it, as failed if what it returned is refused.

        Raises:
            OutputError: it is.
        """
        node = self._nodes.get(run_id)
        try:
            if node is not None and self._check is not None:
                self._check(node, outputs)
        except OutputError as refused:
            self._end(run_id, refused)
            raise
        self._end(run_id)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Close it as failed, or as paused: an interrupt also comes as an error.

        Raises:
            OutputError: what it asks a person cannot be kept; LangGraph would keep it next.
        """
        try:
            if isinstance(error, GraphInterrupt):
                check_pause(self.agent_name, error)
        except OutputError as refused:
            self._end(run_id, refused)
            raise
        self._end(run_id, error)

    def on_chat_model_start(
        self,
        serialized: Any,
        messages: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,
    ) -> None:
        """Open a model call's span, and count the call.

        Raises:
            ModelUnavailableError: the run has spent its model calls or tokens.
        """
        about = _metadata(kwargs)
        name, provider = about.get("ls_model_name"), str(about.get("ls_provider", ""))
        model = model_name(provider, str(name)) if name else "unknown"
        run = run_or_none()
        spent = run.budget.spent_on_models if run else None
        if spent:
            outer = self._outer(parent_run_id)
            raise ModelUnavailableError(model, outer.path if outer else self.agent_name, spent)
        count_model_call()
        self._begin("model", run_id, parent_run_id, model=model)
        heard_call.set(self.open[run_id])

    def on_llm_start(self, serialized: Any, prompts: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Do the same for a completion model."""
        self.on_chat_model_start(serialized, prompts, run_id=run_id, **kwargs)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Close it with the tokens that the provider counted."""
        usage = _usage(response)
        tokens = (usage.get("input_tokens", 0), usage.get("output_tokens", 0)) if usage else None
        if span := self.open.get(run_id):
            note_spent(span, tokens, _cost(response), calls=0)
        self._end(run_id)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Close it as failed; a call that fails is a call, and may have cost something."""
        span = self.open.get(run_id)
        if span is not None and span.kind == "model":
            note_spent(span, *getattr(error, "bill", (None, None)), calls=0)
        self._end(run_id, error)

    on_tool_error = on_llm_error

    def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,
    ) -> None:
        """Open a tool call's span."""
        self._begin("tool", run_id, parent_run_id, node=str(serialized.get("name", "tool")))

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Close it."""
        self._end(run_id)

    def _outer(self, parent_run_id: UUID | None) -> Span | None:
        return (self.around.get(parent_run_id) if parent_run_id else None) or current_span()

    def _begin(
        self, kind: Kind, run_id: UUID, parent_run_id: UUID | None, **fields: Unpack[SpanFields]
    ) -> None:
        outer = self._outer(parent_run_id)
        path = outer.path if outer else self.agent_name
        span = record_span(kind=kind, path=path, **fields)
        span.set(agent_name=self.agent_name)
        span.set_as(outer, "team", "router")
        self.open[run_id] = self.around[run_id] = span.begin(parent=outer)

    def _end(self, run_id: UUID, error: BaseException | None = None) -> None:
        self.around.pop(run_id, None)
        self._nodes.pop(run_id, None)
        span = self.open.pop(run_id, None)
        if span is None:
            return
        if isinstance(error, GraphBubbleUp):
            span.set(status="paused")
        elif error is not None and not came_from_outside(error, running_task()):
            mark_failed(span, error)
        span.end(error)


def note_spent(
    span: Span, tokens: tuple[int, int] | None, cost: float | None, *, calls: int
) -> None:
    """Put what a model call spent into its row, and charge it, with `calls` calls."""
    prompt, completion = tokens or (0, 0)
    if tokens is not None:
        span.set(prompt_tokens=prompt, completion_tokens=completion)
    if cost is not None:
        span.set(cost=cost)
    count_model_call(
        calls=calls,
        prompt_tokens=prompt,
        completion_tokens=completion,
        unpriced_calls=int(cost is None),
    )


@contextmanager
def inside_step() -> Generator[None]:
    """Record what the block does below the node or the tool in which LangChain runs it."""
    manager: Any = (var_child_runnable_config.get() or RunnableConfig()).get("callbacks")
    handlers = getattr(manager, "handlers", ())
    listeners = (each for each in handlers if isinstance(each, GraphListener))
    step = next(filter(None, (one.around.get(manager.parent_run_id) for one in listeners)), None)
    with step.entered() if step is not None else nullcontext():
        yield


@contextmanager
def unheard() -> Generator[None]:
    """Keep the listeners of the worker at work from what the block runs: a member has its own.

    LangChain hands callbacks on to all that is called below. Each model call would count twice.
    """
    config = var_child_runnable_config.get() or RunnableConfig()
    manager: Any = config.get("callbacks")
    if not isinstance(manager, BaseCallbackManager):
        yield
        return
    manager = manager.copy()
    for handler in [item for item in manager.handlers if isinstance(item, GraphListener)]:
        manager.remove_handler(handler)
    token = var_child_runnable_config.set({**config, "callbacks": manager})
    try:
        yield
    finally:
        var_child_runnable_config.reset(token)


def _metadata(kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
    return kwargs.get("metadata") or {}


def _messages(response: LLMResult) -> list[Any]:
    found = [getattr(item, "message", None) for items in response.generations for item in items]
    return [message for message in found if message is not None]


def _usage(response: LLMResult) -> Mapping[str, int]:
    for message in _messages(response):
        usage: Mapping[str, int] | None = getattr(message, "usage_metadata", None)
        if usage:
            return usage
    return {}


def _cost(response: LLMResult) -> float | None:
    """Return the cost, which the guard of the model left in its answer."""
    for message in _messages(response):
        cost = message.response_metadata.get("cost")
        if cost is not None:
            return float(cost)
    return None
