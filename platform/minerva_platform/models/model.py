"""A model as routers and workers use it: one question, one typed answer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from pydantic import BaseModel, ValidationError

from minerva_observability import current_span
from minerva_platform.config.model_spec import ModelSpec, Structured
from minerva_platform.errors import ModelOutputError, ModelRequestError
from minerva_platform.text.validation_error import validation_text

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage

AnswerT = TypeVar("AnswerT", bound=BaseModel)


class Model:
    """Asks the model that `spec` names. Every failure is a `ModelError`."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        self._chat: BaseChatModel | None = None
        self._answer_form: Structured = spec.structured
        self._schemas: dict[tuple[type[BaseModel], str], dict[str, Any]] = {}

    @property
    def chat(self) -> "BaseChatModel":
        """The guarded chat model, for `create_agent` and for nodes of one's own.

        Raises:
            SettingsError: a key is missing.
        """
        if self._chat is None:
            from minerva_platform.models.factory import build_chat  # noqa: PLC0415  # openai is heavy

            self._chat = build_chat(self.spec)
        return self._chat

    async def text(self, prompt: str, *, system: str = "") -> str:
        """Return the model's answer as text.

        Raises:
            ModelError: no whole answer came.
        """
        answer = await self._answer(prompt, system, {})
        if not answer.text.strip():
            self.refuse("its answer is empty.")
        return answer.text

    async def ask(
        self, prompt: str, *, schema: type[AnswerT], system: str = "", name: str = ""
    ) -> AnswerT:
        """Return the model's answer as `schema`, validated strictly.

        `name` tells the provider what the answer is; it defaults to the class's name.

        Raises:
            ModelError: no whole answer came, or one that does not fit.
        """
        name = name or schema.__name__
        if self._answer_form == "json_schema":
            try:
                answer = await self._answer(prompt, system, self._as_schema(schema, name))
                return self._parse(answer.text, schema)
            except ModelRequestError as error:
                if not _knows_no_schema(error):
                    raise
                self._answer_form = "function_calling"
        answer = await self._answer(prompt, system, self._as_tool(schema, name))
        return self._arguments(answer, schema, name)

    async def call_tools(
        self, messages: "Sequence[BaseMessage]", tools: Sequence[dict[str, Any]]
    ) -> "AIMessage":
        """Return the answer to a conversation: calls of `tools` (as OpenAI writes them), or text.

        Raises:
            ModelError: no whole answer came.
        """
        answer = await self.chat.bind_tools(tools).ainvoke(list(messages))
        return self._accept(answer)

    async def _answer(self, prompt: str, system: str, extra: dict[str, Any]) -> "AIMessage":
        messages: list[tuple[str, str]] = [("system", system)] if system else []
        options: dict[str, Any] = {"extra_body": extra} if extra else {}
        return self._accept(await self.chat.ainvoke([*messages, ("human", prompt)], **options))

    def _accept(self, answer: "AIMessage") -> "AIMessage":
        if answer.additional_kwargs.get("refusal"):
            self.refuse("it refuses to answer.")
        return answer

    def _as_schema(self, schema: type[BaseModel], name: str) -> dict[str, Any]:
        wanted = {"name": name, "strict": True, "schema": self._json_schema(schema, name)}
        return {"response_format": {"type": "json_schema", "json_schema": wanted}}

    def _as_tool(self, schema: type[BaseModel], name: str) -> dict[str, Any]:
        function = {"name": name, "parameters": self._json_schema(schema, name)}
        choice = {"type": "function", "function": {"name": name}}
        return {"tools": [{"type": "function", "function": function}], "tool_choice": choice}

    def _json_schema(self, schema: type[BaseModel], name: str) -> dict[str, Any]:
        if (schema, name) not in self._schemas:
            from openai import pydantic_function_tool  # noqa: PLC0415  # openai is heavy

            tool: Any = pydantic_function_tool(schema, name=name)
            self._schemas[schema, name] = _untitled(tool["function"]["parameters"])
        return self._schemas[schema, name]

    def _parse(self, text: str, schema: type[AnswerT]) -> AnswerT:
        try:
            return schema.model_validate_json(text, strict=True)
        except ValidationError as error:
            self.refuse(f"it does not fit: {validation_text(error)}")

    def _arguments(self, answer: "AIMessage", schema: type[AnswerT], name: str) -> AnswerT:
        calls = [call for call in answer.tool_calls if call["name"] == name]
        if len(calls) != 1:
            self.refuse(f"it should have called `{name}` once.")
        try:
            return schema.model_validate(calls[0]["args"])
        except ValidationError as error:
            self.refuse(f"it does not fit: {validation_text(error)}")

    def refuse(self, reason: str) -> NoReturn:
        """Raise for an unusable answer, after a caller's own check of it.

        Raises:
            ModelOutputError: always.
        """
        span = current_span()
        raise ModelOutputError(self.spec.name, span.path if span else "this process", reason)


def _untitled(schema: Any) -> Any:
    """Return the schema without titles, which cost tokens in every call and carry no meaning."""
    if not isinstance(schema, dict):
        return schema
    known = cast("dict[str, Any]", schema)
    return {
        key: _untitled(value)
        for key, value in known.items()
        if key != "title" or isinstance(value, dict)  # a field may be called so
    }


def _knows_no_schema(error: ModelRequestError) -> bool:
    return "response_format" in error.reason or "json_schema" in error.reason
