"""A failure as data: the fault and its place, in words that may be kept and shown."""

from typing import cast

from pydantic import ValidationError

from minerva_observability.records import ErrorRow, SpanFields
from minerva_observability.tracing import mask_text
from minerva_platform.contract.result import ErrorInfo, Reason
from minerva_platform.contract.run_object import LeftOut, Origin
from minerva_platform.errors import AgentExitError, MinervaError, ReportedError
from minerva_platform.run_context.failures.containment import safe_text
from minerva_platform.run_context.failures.failure_text import own_korean, told_text
from minerva_platform.run_context.failures.source_location import location_of
from minerva_platform.text.example_file import examples_without_import
from minerva_platform.text.validation_error import validation_text

MAX_MESSAGE = 2000
"""Characters of an error's text that may enter the parent's state."""

MAX_TYPE = 200
"""Characters of the name of an error's class."""


def error_to_info(error: BaseException, package: str = "") -> ErrorInfo:
    """Return the class and text of `error`: secrets and sensitive values masked, short.

    An error that is not MINERVA's also gets its place in the worker's code. `package` is the
    worker's top-level package.
    """
    info = raw_info(error, package)
    masked = {
        "type": mask_text(info.type[:MAX_TYPE]),
        "message": _short(info.message),
        "where": mask_text(info.where) if info.where else None,
        "korean": _short(info.korean),
    }
    return info.model_copy(update=masked)


def raw_info(error: BaseException, package: str = "") -> ErrorInfo:
    """Return the same unmasked and uncut, for a process that masks it itself."""
    if isinstance(error, ReportedError):
        return cast("ErrorInfo", error.info)
    return ErrorInfo(
        type=type(error).__name__,
        message=_text(error),
        where=_where(error, package),
        is_sentence=isinstance(error, MinervaError),
        korean=own_korean(error),
    )


def left_out_entry(
    name: object, origin: Origin | None, *, where: str | None, cause: str, package: str = ""
) -> LeftOut:
    """Return the entry of a team that is left out: secrets masked, short.

    Its examples are those in the files of its top-level `package`.
    """
    return LeftOut(
        team=str(name),
        distribution=(origin and origin.distribution) or None,
        version=(origin and origin.version) or None,
        file=(origin and origin.file) or None,
        where=where,
        cause=_short(cause),
        examples=examples_without_import(package) if package else (),
    )


def error_to_reason_info(reason: Reason, error: BaseException) -> ErrorInfo:
    """Return the error that `reason` stands for, with the text of `error`."""
    return info_to_reason_info(reason, error_to_info(error))


def info_to_reason_info(reason: Reason, info: ErrorInfo) -> ErrorInfo:
    """Return the error that `reason` stands for, with the text of the error `info`."""
    sentences = {"korean": told_text(info, "ko"), "english": told_text(info, "en")}
    return ErrorInfo.of(reason, info.short_text, where=info.where, **sentences)


def stop_fields(reason: Reason, error: ErrorInfo, because_of: str | None = None) -> SpanFields:
    """Return the fields of a stopped run's or visit's row."""
    fields: SpanFields = {"reason": reason, "action": "stopped", "error": info_to_row(error)}
    if because_of is not None:
        fields["because_of"] = because_of
    return fields


def cancelled_fields() -> SpanFields:
    """Return the fields of a cancelled run's row."""
    return stop_fields("cancelled", ErrorInfo.of("cancelled", "The run was cancelled."))


def info_to_row(info: ErrorInfo) -> ErrorRow:
    """Return `info` as a record holds it."""
    row = ErrorRow(type=info.type, message=info.message)
    if info.where:
        row["where"] = info.where
    return row


def _short(message: str) -> str:
    """Return `message` masked; the cut says how much it left out."""
    text = mask_text(message)
    if len(text) <= MAX_MESSAGE:
        return text
    return f"{text[:MAX_MESSAGE]}… ({len(text) - MAX_MESSAGE} more characters)"


def _text(error: BaseException) -> str:
    if isinstance(error, ValidationError):  # its own text quotes values and ends with an address
        return f"`{error.title}` does not fit: {validation_text(error)}"
    return safe_text(error)


def _where(error: BaseException, package: str) -> str | None:
    """Return the place of `error`. Most of MINERVA's own errors have none in a worker's code."""
    is_own = isinstance(error, MinervaError) and not isinstance(error, AgentExitError)
    return None if is_own else location_of(error, package)
