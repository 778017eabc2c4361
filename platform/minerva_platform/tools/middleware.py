"""The middleware of a `ToolAgent`: which tools a model has, who agrees to a call, how one fails."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.errors import GraphBubbleUp, is_invalid_resume
from pydantic import Field

from minerva_platform.contract.bounds import MAX_TOOL_ANSWER, capped
from minerva_platform.errors import (
    AgentError,
    ContractError,
    MinervaError,
    OutputError,
    RunError,
    UnkeptPauseError,
)
from minerva_platform.people.ask_person import ask_approval
from minerva_platform.run_context.effect_place import current_work
from minerva_platform.run_context.failures.error_info import error_to_info
from minerva_platform.run_context.recorded_failures import note_without
from minerva_platform.text.texts import read_texts

if TYPE_CHECKING:
    from minerva_platform.tools.toolbox import Toolbox

EVERY_TOOL: Final = "*"
"""In `review`: a person decides about each call of any tool."""
TEXTS = read_texts("minerva_platform.tools", "middleware")

_FOR_THE_RUN: Final = (ContractError, OutputError, RunError, UnkeptPauseError)
"""Errors of a tool that no model can mend: they are the worker's, or the run's."""
_MAX_NAME: Final = 64


class ToolWorker(Protocol):
    """The worker, as its middleware sees it."""

    name: str
    review: Sequence[str]

    @property
    def own_names(self) -> list[str]:
        """The names of its own tools."""
        ...

    def chat_model(self) -> BaseChatModel:
        """Return the model that chooses, or raise."""
        ...

    def toolbox(self) -> "Toolbox | None":
        """Return its servers; None if it has none that could be asked."""
        ...


class ServerTool(BaseTool):
    """A tool of a server. A model may name its arguments as it likes, `config` or `self` too."""

    call: Any = Field(exclude=True, repr=False)
    """What calls it: arguments -> text."""

    def _run(self, /, **arguments: Any) -> Any:
        raise NotImplementedError  # MINERVA's workers are asynchronous

    async def _arun(self, /, **arguments: Any) -> Any:
        return await self.call(arguments)


class ToolsMiddleware(AgentMiddleware[Any, Any, Any]):
    """Gives each call of the model the tools of that moment, and makes the calls of tools."""

    def __init__(self, worker: ToolWorker) -> None:
        self.worker = worker

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Ask the worker's model, with its own tools and the servers'."""
        chat = self.worker.chat_model()
        offered = await self._offered_tools(anew=True)
        tools = [*request.tools, *offered.values()]
        return await handler(request.override(model=chat, tools=tools))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        """Make a call once a person has agreed to it, if one must. The model reads a failure."""
        name = request.tool_call["name"]
        tool = request.tool or (await self._offered_tools(anew=False)).get(name) or _missing(name)
        request = request.override(tool=tool)
        try:
            decided = self._review_call(request, tool)
            answer = await handler(decided)
        except GraphBubbleUp:
            raise
        except Exception as error:
            if isinstance(error, _FOR_THE_RUN) or is_invalid_resume(error):
                raise
            return _failure(request, error)
        is_edited = decided is not request
        return _bounded(answer, _edit_notice(decided) if is_edited else "")

    async def _offered_tools(self, *, anew: bool) -> dict[str, ServerTool]:
        """Return the tools of the servers, by name."""
        box = self.worker.toolbox()
        if box is None:
            return {}
        offer = await box.offer(anew=anew)
        offered = {
            one.name: ServerTool(
                name=one.name,
                description=one.description,
                args_schema=one.schema,
                call=partial(box.call, one),
            )
            for one in offer.tools
        }
        if offer.is_whole:
            self._check_review({*offered, *self.worker.own_names, EVERY_TOOL})
        return offered

    def _check_review(self, names: set[str]) -> None:
        """Let the run say which names in `review` are no tools: a call may go unseen."""
        for name in self.worker.review:
            if name not in names:
                message = (
                    f"`{self.worker.name}` asks a person before each call of `{name}`, and has no "
                    "tool of that name; mend its `review`."
                )
                note_without(AgentError(message), node=name)

    def _review_call(self, request: ToolCallRequest, tool: BaseTool) -> ToolCallRequest:
        """Return the call that may be made: as it is, or as a person has changed it.

        Raises:
            RejectedError: a person rejects it.
        """
        name, arguments = request.tool_call["name"], dict(request.tool_call["args"])
        if not {name, EVERY_TOOL} & {*self.worker.review}:
            return request
        work = current_work()
        language = work.task.language if work else "en"
        asked = TEXTS("review", language, agent=self.worker.name, tool=name)
        schema = _schema(tool)
        decided = ask_approval(asked, tool=name, arguments=arguments, schema=schema)
        if decided == arguments:
            return request
        return request.override(tool_call={**request.tool_call, "args": decided})


def _missing(name: str) -> ServerTool:
    """Return what stands for a tool that is not there, so that its call is a failed one."""

    async def fail(_: Mapping[str, Any]) -> str:
        message = f"There is no tool {name[:_MAX_NAME]!a}, or no more; call another one."
        raise AgentError(message)

    return ServerTool(
        name=name[:_MAX_NAME], description="", args_schema={"type": "object"}, call=fail
    )


def _schema(tool: BaseTool) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments."""
    schema: Any = tool.tool_call_schema
    if isinstance(schema, Mapping):
        return dict(cast("Mapping[str, Any]", schema))
    return cast("dict[str, Any]", schema.model_json_schema())


def _failure(request: ToolCallRequest, error: Exception) -> ToolMessage:
    """Return what the model reads of a call that failed, without secrets."""
    call = request.tool_call
    info = error_to_info(error)
    told = info.message if isinstance(error, MinervaError) else f"{info.type}: {info.message}"
    return ToolMessage(
        capped(told, MAX_TOOL_ANSWER), name=call["name"], tool_call_id=call["id"], status="error"
    )


def _bounded(answer: Any, notice: str) -> Any:
    """Return an answer that a model may read: cut, and with what a person has changed."""
    if not isinstance(answer, ToolMessage):  # a tool of the author's has changed the state
        return answer
    content: Any = answer.content
    if not isinstance(content, str):
        size = len(json.dumps(content, ensure_ascii=False, default=str))
        if size <= MAX_TOOL_ANSWER and not notice:
            return answer
        content = answer.text
    told = f"{notice}{capped(content, MAX_TOOL_ANSWER)}"
    return answer if told == content else answer.model_copy(update={"content": told})


def _edit_notice(request: ToolCallRequest) -> str:
    """Return what tells the model that a person has changed its call."""
    arguments = capped(json.dumps(request.tool_call["args"], ensure_ascii=False), MAX_TOOL_ANSWER)
    return f"A person has changed the arguments to {arguments}; do not repeat the call.\n"
