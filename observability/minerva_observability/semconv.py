"""What a record is called in OpenTelemetry: the only module that knows.

The GenAI conventions are still in development
(https://opentelemetry.io/docs/specs/semconv/gen-ai/), so a rename is a change
here and nowhere else. Every field of a record is there as `minerva.<field>`;
the conventional names come on top, for the dashboards that know them.
"""

from typing import Final

from minerva_observability.encoding import to_json
from minerva_observability.masking import writable
from minerva_observability.record import Record, RecordRow

Attribute = str | int | float | bool

PREFIX: Final = "minerva."
OPERATION: Final = "gen_ai.operation.name"
AGENT_NAME: Final = "gen_ai.agent.name"
CONVERSATION_ID: Final = "gen_ai.conversation.id"
REQUEST_MODEL: Final = "gen_ai.request.model"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
TOOL_NAME: Final = "gen_ai.tool.name"
ERROR_TYPE: Final = "error.type"

INVOKE_AGENT: Final = "invoke_agent"
CHAT: Final = "chat"
EXECUTE_TOOL: Final = "execute_tool"

_OPERATIONS: Final = {
    "run": INVOKE_AGENT,
    "agent": INVOKE_AGENT,
    "model": CHAT,
    "tool": EXECUTE_TOOL,
}


def record_to_span_name(record: Record) -> str:
    """Return `invoke_agent <name>`, `chat <model>`, `execute_tool <name>`, or the node's name."""
    if record.kind in {"run", "agent"}:
        return f"{INVOKE_AGENT} {writable(record.agent_name or record.path)}"
    if record.kind == "model":
        return f"{CHAT} {writable(record.model or '')}".rstrip()
    if record.kind == "tool":
        return f"{EXECUTE_TOOL} {writable(record.node or '')}".rstrip()
    if record.kind == "node":
        return writable(record.node or record.path)
    return f"{record.kind} {writable(record.agent_name or record.path)}"


def record_to_attributes(record: Record) -> dict[str, Attribute]:
    """Return all fields of the row in `runs.jsonl`, and the conventional names on top."""
    row = record.to_json_dict()
    attributes: dict[str, Attribute] = {}
    for name, value in row.items():
        if name == "error":
            continue
        attributes[PREFIX + name] = _attribute(value)
    _add_error(attributes, row)
    conventional = {
        OPERATION: _OPERATIONS.get(record.kind),
        AGENT_NAME: record.agent_name,
        CONVERSATION_ID: record.thread_id,
        REQUEST_MODEL: record.model,
        INPUT_TOKENS: record.prompt_tokens,
        OUTPUT_TOKENS: record.completion_tokens,
        TOOL_NAME: record.node if record.kind == "tool" else None,
    }
    attributes.update(
        {name: _attribute(value) for name, value in conventional.items() if value is not None},
    )
    return attributes


def _add_error(attributes: dict[str, Attribute], row: RecordRow) -> None:
    error = row.get("error")
    if error is not None:
        attributes[PREFIX + "error.type"] = attributes[ERROR_TYPE] = writable(error["type"])
        attributes[PREFIX + "error.message"] = writable(error["message"])
        if "where" in error:
            attributes[PREFIX + "error.where"] = writable(error["where"])


def _attribute(value: object) -> Attribute:
    """Return what OpenTelemetry can carry: plain values as they are, the rest as JSON."""
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, bool | int | float):
        return value
    return to_json(value).decode()
