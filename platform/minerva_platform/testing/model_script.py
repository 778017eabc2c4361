"""The calls and answers of a scripted model: whole answers, and the ways in which they break."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

FaultName = Literal[
    "bad_json_arguments",
    "connection_reset",
    "content_filter",
    "cut_stream",
    "cut_tool_arguments",
    "drip",
    "empty_choices",
    "hang",
    "html_page",
    "keep_alive",
    "length",
    "no_finish_reason",
    "null_choices",
    "rate_limited",
    "server_error",
    "unauthorized",
    "unsupported",
]

PROVIDER_FAULTS: tuple[FaultName, ...] = tuple(
    name for name in get_args(FaultName) if name != "unsupported"
)
"""The sixteen ways in which providers fail; `unsupported` is a model without JSON schema."""


@dataclass(frozen=True)
class ModelCall:
    """One request as it came over the wire."""

    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Mapping[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation."""
        return list(self.body.get("messages", ()))

    @property
    def prompt(self) -> str:
        """The text of all messages."""
        return "\n".join(str(message.get("content") or "") for message in self.messages)

    @property
    def prompt_chars(self) -> int:
        """Characters of the messages, their calls, and the tools' and the answer's schemas."""
        rest = [self.body.get("tools"), self.body.get("response_format")]
        rest += [message.get("tool_calls") for message in self.messages]
        return len(self.prompt) + sum(len(json.dumps(item)) for item in rest if item)

    @property
    def schema_name(self) -> str:
        """The name of the JSON schema or of the forced tool; empty for plain text."""
        wanted: Any = self.body.get("response_format") or {}
        choice: Any = self.body.get("tool_choice")
        forced: Any = {} if isinstance(choice, str | None) else choice["function"]
        return str(wanted.get("json_schema", {}).get("name") or forced.get("name") or "")

    @property
    def tools(self) -> list[str]:
        """The names of the tools it may call."""
        return [tool["function"]["name"] for tool in self.body.get("tools") or ()]

    @property
    def stream(self) -> bool:
        """True if the answer comes in pieces."""
        return bool(self.body.get("stream"))


@dataclass(frozen=True)
class Reply:
    """A whole answer: text, JSON (for a schema or a forced tool), or calls of tools."""

    text: str = ""
    json: Any = None
    tool_calls: Sequence[tuple[str, Mapping[str, Any] | str]] = ()
    """Name and arguments; a string is sent as it is."""
    prompt_tokens: int = 10
    completion_tokens: int = 5
    finish_reason: str | None = None
    """None means what fits: `stop` or `tool_calls`."""


@dataclass(frozen=True)
class Fault:
    """A fault instead of an answer. A broken answer is `reply`, broken."""

    name: FaultName
    reply: Reply = field(default_factory=lambda: Reply(text="the answer is 42"))
    retry_after: str = "0"
    """Seconds until the next try that a refusal asks for."""


Answer = Reply | Fault
Script = Callable[[ModelCall], Answer] | Sequence[Any] | Mapping[str, Any]
"""Answers by call, in order, or by schema name (`""`: plain text, `"*"`: any other)."""


class ScriptEndedError(Exception):
    """The script has no answer for this call."""


class Player:
    """Finds the answer to each call. A single answer is repeated."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._turns: dict[str, int] = {}

    def answer(self, call: ModelCall) -> Answer:
        """Return the script's answer.

        Raises:
            ScriptEndedError: the script has no (further) answer for such a call.
        """
        if not isinstance(self._script, Mapping):
            return self._from(self._script, "", call)
        for name in (call.schema_name, "*"):
            if name in self._script:
                return self._from(self._script[name], name, call)
        message = f"nothing for schema {call.schema_name!r}"
        raise ScriptEndedError(message)

    def _from(self, part: Any, name: str, call: ModelCall) -> Answer:
        if isinstance(part, Reply | Fault):
            return part
        if callable(part):
            return cast("Answer", part(call))
        turn = self._turns[name] = self._turns.get(name, 0) + 1
        if turn > len(part):
            message = f"{len(part)} answers for {name or 'this model'}, and this is call {turn}"
            raise ScriptEndedError(message)
        scripted: Any = part[turn - 1]
        return cast("Answer", scripted)
