"""Failures on record: in the span at work, or as a row of their own."""

from typing import TYPE_CHECKING, Any, Unpack

from minerva_observability import Span, current_span, record_span
from minerva_observability.records import Kind, SpanFields
from minerva_platform.contract.result import BypassAction, ErrorInfo
from minerva_platform.errors import LeaseLostError, MinervaError, ReportedError
from minerva_platform.run_context.context import has_noted, note_bypass
from minerva_platform.run_context.failures.error_info import error_to_info, info_to_row, raw_info

if TYPE_CHECKING:
    from minerva_platform.contract.agent import BaseAgent


def mark_failed(span: Span, error: BaseException, package: str = "") -> None:
    """Mark `span` failed by `error`, with its place, whether or not it is raised further."""
    if isinstance(error, LeaseLostError):  # another process goes on: nothing failed
        span.set(status="skipped", reason="lease_lost")
        return
    info = raw_info(error, package)
    if isinstance(error, ReportedError):
        span.set(error=info_to_row(info))
        span.fields.setdefault("status", "failed")
        return
    span.set_error(error, message=info.message, where=info.where)


def record_failure(
    failure: BaseException | ErrorInfo,
    action: BypassAction,
    /,
    *,
    kind: Kind,
    path: str,
    **fields: Unpack[SpanFields],
) -> ErrorInfo:
    """Write a record for a failure that has no span of its own, and return its error.

    `fields` name whose it is (`team`, `agent_name`, `node`), and the path that it follows from
    (`because_of`) if it did not begin here. The status is `skipped` unless `fields` say
    otherwise, so a count of calls leaves the row out.
    """
    info = failure if isinstance(failure, ErrorInfo) else error_to_info(failure)
    told: SpanFields = {"status": "skipped", **fields, "action": action, "error": info_to_row(info)}
    if action == "substituted" and "agent_name" in fields:  # its own code does without the help
        told["substitute"] = fields["agent_name"]
    with record_span(kind=kind, path=path, **told):
        pass
    return info


def note_without(error: MinervaError, *, node: str) -> None:
    """Let the run say once that the worker at work goes on without something, and why.

    The record is that of a tool called `node`.
    """
    info = error_to_info(error)
    if has_noted(info):
        return
    note_bypass(info, "bypassed")
    record_at_work(info, "bypassed", kind="tool", node=node)


def record_at_work(
    failure: BaseException | ErrorInfo, action: BypassAction, /, *, kind: Kind, node: str
) -> None:
    """Write a row for a failure of the agent at work, in its step or tool `node`."""
    span = current_span()
    if span is None:
        return
    names: SpanFields = {"node": node}
    if "team" in span.fields:
        names["team"] = span.fields["team"]
    if "agent_name" in span.fields:
        names["agent_name"] = span.fields["agent_name"]
    record_failure(failure, action, kind=kind, path=span.path, **names)


def record_step_failure(
    failure: BaseException | ErrorInfo,
    action: BypassAction,
    /,
    *,
    team: "BaseAgent[Any, Any]",
    node: str,
) -> ErrorInfo:
    """Write a row for a failure in the node `node` of `team` at work; return the error in it."""
    span = current_span()
    return record_failure(
        failure,
        action,
        kind="node",
        path=span.path if span else team.name,
        team=team.name,
        agent_name=team.record_name,
        node=node,
    )
