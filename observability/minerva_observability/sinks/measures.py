"""Turn a record into measures: numbers with a few labels, from which metrics are made.

Labels are declared names (of agents, teams, models, tools, routers) and codes. They are never ids,
paths, nodes or messages, which have too many values. In a name, characters that an exposition
format cannot carry are replaced, and it is cut after `MAX_LABEL_CHARACTERS` characters.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal, NamedTuple

from minerva_observability.records.record import FAILURES, Action, Record, Status, called_name
from minerva_observability.sinks import semconv

Labels = Mapping[str, str]

MAX_LABEL_CHARACTERS: Final = 120
"""Characters of a name that are kept."""

_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_OF_AGENTS: Final[tuple[tuple[Action | Literal["none"], Status], ...]] = (
    *(("none", "failed"), ("substituted", "failed"), ("bypassed", "failed"), ("stopped", "failed")),
    *(("none", "timeout"), ("substituted", "timeout"), ("bypassed", "timeout")),
    *(("stopped", "timeout"), ("skipped", "skipped")),
)
"""The usual actions after the failure of an agent's call, with its status."""


class Measure(NamedTuple):
    """One number for one instrument."""

    instrument: str
    value: float
    labels: Labels


def record_to_measures(record: Record) -> Iterator[Measure]:
    """Yield the measures that `record` adds to the metrics; a node without a failure adds none."""
    measure = _BY_KIND.get(record.kind)
    if measure is not None:
        yield from measure(record)
    if _is_failure(record):
        labels = _failure_labels(record, record.action or "none", record.status)
        yield Measure(semconv.FAILURES, 1, labels)


def no_failures_yet(record: Record) -> Iterator[Measure]:
    """Yield a zero for each action that a failure of the agent's calls may get.

    A counter that first appears with a failure shows no increase, so an alert on it stays silent.
    """
    for action, status in _OF_AGENTS:
        yield Measure(semconv.FAILURES, 0, _failure_labels(record, action, status))


def label(text: str) -> str:
    """Return `text` cut, and without characters that an exposition format cannot carry."""
    if len(text) <= MAX_LABEL_CHARACTERS and text.isprintable():
        return text
    cut = text if len(text) <= MAX_LABEL_CHARACTERS else text[: MAX_LABEL_CHARACTERS - 1] + "…"
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", cut)


def is_left_out(record: Record) -> bool:
    """True if the row stands for a call that was never made. A cancelled run was made."""
    return record.status == "skipped" and record.action is not None and record.kind != "run"


def _is_failure(record: Record) -> bool:
    """True if a failure began in this row; `grouping.FAILURE` has the same rule in SQL."""
    failed = record.status in FAILURES and record.kind in {"agent", "run"}
    return record.because_of is None and (record.action is not None or failed)


def _run(record: Record) -> Iterator[Measure]:
    yield from _agent(record)
    labels = _labels(record)
    labels.pop(semconv.AGENT_NAME, None)
    labels[semconv.STATUS] = record.status
    if record.reason:
        labels[semconv.REASON] = label(record.reason)
    yield Measure(semconv.RUN_DURATION, _took_s(record), labels)


def _agent(record: Record) -> Iterator[Measure]:
    if is_left_out(record):
        return
    labels = _labels(record)
    labels[semconv.STATUS] = record.status
    labels[semconv.ROLE] = _role(record)
    yield Measure(semconv.AGENT_DURATION, _took_s(record), _with_error(labels, record))


def _took_s(record: Record) -> float:
    """Return the seconds of a call in all its parts; of a part that asked a person, its own."""
    asks = record.status in {"paused", "needs_human"}
    return (record.ms if asks or record.took_ms is None else record.took_ms) / 1e3


def _route(record: Record) -> Iterator[Measure]:
    labels = _labels(record)
    if record.router:
        labels[semconv.ROUTER] = label(record.router)
    yield Measure(semconv.ROUTING_DURATION, record.duration_ns / 1e9, _with_error(labels, record))


def _model(record: Record) -> Iterator[Measure]:
    labels = _labels(record)
    if record.model:
        labels[semconv.REQUEST_MODEL] = label(record.model)
        provider = semconv.provider_of(record.model)
        if provider:
            labels[semconv.PROVIDER] = provider
    if record.router:  # that asked it
        labels[semconv.ROUTER] = label(record.router)
    if record.cost is None:
        yield Measure(semconv.UNPRICED, 1, dict(labels))
    elif record.cost:
        yield Measure(semconv.COST, record.cost, dict(labels))
    labels[semconv.OPERATION] = semconv.CHAT
    for kind, tokens in (("input", record.prompt_tokens), ("output", record.completion_tokens)):
        if tokens is not None:
            yield Measure(semconv.TOKEN_USAGE, tokens, {**labels, semconv.TOKEN_TYPE: kind})
    yield Measure(semconv.MODEL_DURATION, record.duration_ns / 1e9, _with_error(labels, record))


def _tool(record: Record) -> Iterator[Measure]:
    labels = _labels(record)
    labels[semconv.TOOL_NAME] = label(record.node or "")
    yield Measure(semconv.TOOL_DURATION, record.duration_ns / 1e9, _with_error(labels, record))


def _wait(record: Record) -> Iterator[Measure]:
    """Yield how long was waited; for a person, by the decision or an earlier version's pause."""
    is_wait = record.kind == "wait"
    if record.waited_ms is None and (not is_wait or record.reason == "person"):
        return
    labels = _labels(record) | {semconv.REASON: record.reason or "person"}
    if record.decision is not None:
        labels[semconv.DECISION] = label(str(record.decision.get("type", "")))
    yield Measure(semconv.WAIT_DURATION, (record.waited_ms or record.ms) / 1e3, labels)


_BY_KIND: Final[Mapping[str, Callable[[Record], Iterator[Measure]]]] = {
    "run": _run,
    "route": _route,
    "agent": _agent,
    "model": _model,
    "tool": _tool,
    "pause": _wait,
    "decision": _wait,
    "wait": _wait,
}


def _labels(record: Record) -> dict[str, str]:
    labels: dict[str, str] = {}
    if record.agent_name:
        labels[semconv.AGENT_NAME] = label(record.agent_name)
    if record.team:
        labels[semconv.TEAM] = label(record.team)
    return labels


def _with_error(labels: dict[str, str], record: Record) -> Labels:
    if record.error is not None:
        labels[semconv.ERROR_TYPE] = label(record.error["type"])
    elif record.status in FAILURES:
        labels[semconv.ERROR_TYPE] = record.status
    return labels


def _failure_labels(record: Record, action: str, status: str) -> Labels:
    about = {semconv.KIND: record.kind, semconv.ACTION: action, semconv.STATUS: status}
    return {**_labels(record), **about}


def _role(record: Record) -> str:
    """Return `worker` if the path ends in the agent's name (or `name#2`), else `supervisor`."""
    return "worker" if called_name(record.path) == record.agent_name else "supervisor"
