"""What a record is called in OpenTelemetry: the only module that knows.

The GenAI conventions are still in development
(https://github.com/open-telemetry/semantic-conventions-genai), so a rename is a
change here and nowhere else. Every field of a record is there as
`minerva.<field>`; the conventional names come on top, for the dashboards that
know them. What metrics are called is below, in `INSTRUMENTS`.
"""

from typing import Final, Literal, NamedTuple

from minerva_observability.records.encoding import to_json
from minerva_observability.records.plain_data import writable
from minerva_observability.records.record import Record, RecordRow

Attribute = str | int | float | bool

PREFIX: Final = "minerva."
OPERATION: Final = "gen_ai.operation.name"
AGENT_NAME: Final = "gen_ai.agent.name"
CONVERSATION_ID: Final = "gen_ai.conversation.id"
PROVIDER: Final = "gen_ai.provider.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
TOOL_NAME: Final = "gen_ai.tool.name"
TOKEN_TYPE: Final = "gen_ai.token.type"  # noqa: S105  # no password
ERROR_TYPE: Final = "error.type"
OPENINFERENCE_KIND: Final = "openinference.span.kind"
"""By which Phoenix tells agents, models and tools apart."""

TEAM: Final = "minerva.team"
STATUS: Final = "minerva.status"
REASON: Final = "minerva.reason"
KIND: Final = "minerva.kind"
ACTION: Final = "minerva.action"
ROUTER: Final = "minerva.router"
ROLE: Final = "minerva.role"
"""`supervisor` or `worker`."""
SINK: Final = "minerva.sink"

INVOKE_AGENT: Final = "invoke_agent"
CHAT: Final = "chat"
EXECUTE_TOOL: Final = "execute_tool"

_OPERATIONS: Final = {
    "run": INVOKE_AGENT,
    "agent": INVOKE_AGENT,
    "model": CHAT,
    "tool": EXECUTE_TOOL,
}
_PROVIDERS: Final = {"openai": "openai", "azure_openai": "azure.ai.openai"}
_OPENINFERENCE_KINDS: Final = {"run": "AGENT", "agent": "AGENT", "model": "LLM", "tool": "TOOL"}
"""All others are steps of our own: CHAIN."""

AGENT_DURATION: Final = "gen_ai.invoke_agent.duration"
MODEL_DURATION: Final = "gen_ai.client.operation.duration"
TOKEN_USAGE: Final = "gen_ai.client.token.usage"  # noqa: S105  # no password
TOOL_DURATION: Final = "gen_ai.execute_tool.duration"
RUN_DURATION: Final = "minerva.run.duration"
ROUTING_DURATION: Final = "minerva.routing.duration"
WAIT_DURATION: Final = "minerva.wait.duration"
FAILURES: Final = "minerva.failures"
COST: Final = "minerva.cost"
DROPPED: Final = "minerva.records.dropped"


class Instrument(NamedTuple):
    """A metric: what it is called and how it is counted."""

    name: str
    kind: Literal["histogram", "counter", "observed"]
    unit: str
    """As UCUM writes it: `s` is seconds, what stands in braces counts things."""
    description: str
    boundaries: tuple[float, ...] = ()
    """Upper ends of a histogram's buckets, in `unit`."""


def _doubled(first: float, times: int) -> tuple[float, ...]:
    return tuple(round(first * 2**step, 7) for step in range(times))


_CALL_S: Final = _doubled(0.01, 14)
"""0.01 s to 82 s, as the convention has it for calls of models and tools."""
_AGENT_S: Final = _doubled(0.003125, 18)
"""The convention's 0.1 s to 410 s, and five steps below them: a worker without a model is fast."""
_TOKENS: Final = tuple(float(4**step) for step in range(14))
"""1 to 67,108,864, as the convention has it."""
_ROUTING_S: Final = _doubled(0.00025, 18)
"""0.25 ms to 33 s: an embedded router at one end, a model at the other."""
_WAIT_S: Final = (1, 5, 15, 60, 300, 900, 3_600, 14_400, 43_200, 86_400, 259_200, 604_800)
"""A second to a week: people."""

INSTRUMENTS: Final = (
    Instrument(AGENT_DURATION, "histogram", "s", "How long an agent took.", _AGENT_S),
    Instrument(MODEL_DURATION, "histogram", "s", "How long a call of a model took.", _CALL_S),
    Instrument(TOKEN_USAGE, "histogram", "{token}", "Tokens of a call of a model.", _TOKENS),
    Instrument(TOOL_DURATION, "histogram", "s", "How long a call of a tool took.", _CALL_S),
    Instrument(RUN_DURATION, "histogram", "s", "How long a run took, and how it ended.", _AGENT_S),
    Instrument(ROUTING_DURATION, "histogram", "s", "How long a router took.", _ROUTING_S),
    Instrument(WAIT_DURATION, "histogram", "s", "How long a run waited for a person.", _WAIT_S),
    Instrument(FAILURES, "counter", "{failure}", "What failed, and what was done about it."),
    Instrument(COST, "counter", "1", "What models cost, in the currency of the price list."),
    Instrument(DROPPED, "observed", "{record}", "Records that a sink has lost."),
)


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
        PROVIDER: provider_of(record.model or ""),
        REQUEST_MODEL: record.model,
        INPUT_TOKENS: record.prompt_tokens,
        OUTPUT_TOKENS: record.completion_tokens,
        TOOL_NAME: record.node if record.kind == "tool" else None,
        OPENINFERENCE_KIND: _OPENINFERENCE_KINDS.get(record.kind, "CHAIN"),
    }
    attributes.update(
        {name: _attribute(value) for name, value in conventional.items() if value is not None},
    )
    return attributes


def provider_of(model: str) -> str | None:
    """Return who serves a model that is named `provider:model`; None if its name does not say."""
    return _PROVIDERS.get(model.partition(":")[0]) if ":" in model else None


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
