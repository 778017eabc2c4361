"""The names of records and metrics in OpenTelemetry. No other module knows them.

The GenAI conventions are still in development
(https://github.com/open-telemetry/semantic-conventions-genai), so a rename is a change in this
module alone. Every field of a record is an attribute `minerva.<field>`. The conventional names come
on top, for dashboards that know them. `INSTRUMENTS` lists the metrics.
"""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from minerva_observability.records.encoding import to_json
from minerva_observability.records.plain_data import writable
from minerva_observability.records.record import CURRENCY, Record

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
"""The attribute by which Phoenix tells agents, models and tools apart."""

TEAM: Final = "minerva.team"
STATUS: Final = "minerva.status"
REASON: Final = "minerva.reason"
KIND: Final = "minerva.kind"
ACTION: Final = "minerva.action"
DECISION: Final = "minerva.decision"
ROUTER: Final = "minerva.router"
ROLE: Final = "minerva.role"
"""`supervisor` or `worker`."""
SINK: Final = "minerva.sink"
VERSIONS: Final = "minerva.versions"
"""How attributes of resources begin that say what a team was installed from."""

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
"""All other kinds are CHAIN, which stands for a step of the program's own."""

AGENT_DURATION: Final = "gen_ai.invoke_agent.duration"
MODEL_DURATION: Final = "gen_ai.client.operation.duration"
TOKEN_USAGE: Final = "gen_ai.client.token.usage"  # noqa: S105  # no password
TOOL_DURATION: Final = "gen_ai.execute_tool.duration"
RUN_DURATION: Final = "minerva.run.duration"
ROUTING_DURATION: Final = "minerva.routing.duration"
WAIT_DURATION: Final = "minerva.wait.duration"
FAILURES: Final = "minerva.failures"
COST: Final = "minerva.cost"
UNPRICED: Final = "minerva.unpriced.calls"
DROPPED: Final = "minerva.records.dropped"


class Instrument(NamedTuple):
    """A metric: its name, its kind, its unit and its buckets."""

    name: str
    kind: Literal["histogram", "counter", "observed"]
    unit: str
    """In UCUM's notation: `s` is seconds, a word in braces counts things."""
    description: str
    boundaries: tuple[float, ...] = ()
    """Upper ends of a histogram's buckets, in `unit`."""


def _doublings(first: float, times: int) -> tuple[float, ...]:
    return tuple(round(first * 2**step, 7) for step in range(times))


_CALL_S: Final = _doublings(0.01, 14)
"""0.01 s to 82 s, the convention's buckets for calls of models and tools."""
_AGENT_S: Final = _doublings(0.003125, 18)
"""The convention's 0.1 s to 410 s, and five below, because a worker without a model is fast."""
_TOKENS: Final = tuple(float(4**step) for step in range(14))
"""1 to 67,108,864, the convention's buckets."""
_ROUTING_S: Final = _doublings(0.00025, 18)
"""0.25 ms to 33 s: the embedded router is at the low end, a model at the high end."""
_WAIT_S: Final = (0.1, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 43_200, 86_400, 259_200, 604_800)
"""A tenth of a second to a week, because people's answers are among them."""

INSTRUMENTS: Final = (
    Instrument(AGENT_DURATION, "histogram", "s", "How long an agent took.", _AGENT_S),
    Instrument(MODEL_DURATION, "histogram", "s", "How long a call of a model took.", _CALL_S),
    Instrument(TOKEN_USAGE, "histogram", "{token}", "Tokens of a call of a model.", _TOKENS),
    Instrument(TOOL_DURATION, "histogram", "s", "How long a call of a tool took.", _CALL_S),
    Instrument(RUN_DURATION, "histogram", "s", "How long a run took, and how it ended.", _AGENT_S),
    Instrument(ROUTING_DURATION, "histogram", "s", "How long a router took.", _ROUTING_S),
    Instrument(WAIT_DURATION, "histogram", "s", "How long a run waited.", _WAIT_S),
    Instrument(FAILURES, "counter", "{failure}", "What failed, and what was done about it."),
    Instrument(COST, "counter", f"{{{CURRENCY}}}", "What models cost."),
    Instrument(UNPRICED, "counter", "{call}", "Calls of models of which no cost is known."),
    Instrument(DROPPED, "observed", "{record}", "Records that a sink has lost."),
)


def record_to_span_name(record: Record) -> str:
    """Return the span's name: `invoke_agent <name>`, `chat <model>`, `execute_tool <name>`.

    A run has its team's name, and those of the members that it called: `platform: data, code`.
    A node has its own name; any other kind is followed by the agent's name: `route <name>`.
    """
    if record.kind == "run":
        members = ", ".join(map(str, (record.decision or {}).get("members", ())))
        name = f"{record.team or record.path}: {members}" if members else record.team
        return f"{INVOKE_AGENT} {writable(name or record.path)}"
    if record.kind == "agent":
        return f"{INVOKE_AGENT} {writable(record.agent_name or record.path)}"
    if record.kind == "model":
        return f"{CHAT} {writable(record.model or '')}".rstrip()
    if record.kind == "tool":
        return f"{EXECUTE_TOOL} {writable(record.node or '')}".rstrip()
    if record.kind == "node":
        return writable(record.node or record.path)
    return f"{record.kind} {writable(record.agent_name or record.path)}"


def record_to_attributes(record: Record) -> dict[str, Attribute]:
    """Return all fields of the record as `minerva.<field>`, and the conventional attributes."""
    fields = dict(record.to_json_dict())
    error: Mapping[str, object] = record.error or {}
    fields |= {f"error.{name}": text for name, text in error.items()}
    fields.pop("error", None)
    conventional = {
        OPERATION: _OPERATIONS.get(record.kind),
        AGENT_NAME: record.agent_name,
        CONVERSATION_ID: record.thread_id,
        PROVIDER: provider_of(record.model or ""),
        REQUEST_MODEL: record.model,
        INPUT_TOKENS: record.prompt_tokens,
        OUTPUT_TOKENS: record.completion_tokens,
        TOOL_NAME: record.node if record.kind == "tool" else None,
        ERROR_TYPE: error.get("type"),
        OPENINFERENCE_KIND: _OPENINFERENCE_KINDS.get(record.kind, "CHAIN"),
    }
    attributes = {name: value for name, value in conventional.items() if value is not None}
    attributes |= {PREFIX + name: value for name, value in fields.items()}
    return {name: _attribute(value) for name, value in attributes.items()}


def provider_of(model: str) -> str | None:
    """Return the conventional name of the provider of `provider:model`; None if it is not known."""
    return _PROVIDERS.get(model.partition(":")[0]) if ":" in model else None


def _attribute(value: object) -> Attribute:
    """Return `value` as OpenTelemetry can carry it: plain values unchanged, the rest as JSON."""
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, bool | int | float):
        return value
    return to_json(value).decode()
