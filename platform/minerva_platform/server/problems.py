"""What goes wrong, as clients read it: RFC 9457, `application/problem+json`."""

import logging
import math
from collections.abc import Mapping
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from minerva_platform import errors
from minerva_platform.errors import AlreadyDecidedError, MinervaError, StateError, ThreadBusyError
from minerva_platform.storage.server.tenant_rows import shown_id
from minerva_platform.text.validation_error import fault_text

_LOG = logging.getLogger(__name__)
_UNREADABLE: Final = 400
MEDIA_TYPE: Final = "application/problem+json"

_STATUSES: Final[tuple[tuple[type[MinervaError], int, str], ...]] = (
    (errors.AlreadyDecidedError, 409, "already_decided"),
    (errors.StaleDecisionError, 409, "stale"),
    (errors.ExpiredInterruptError, 409, "expired"),
    (errors.UnknownInterruptError, 404, "unknown_interrupt"),
    (errors.InvalidDecisionError, 422, "invalid_decision"),
    (errors.DecisionError, 409, "decision"),
    (errors.UnknownRunError, 404, "unknown_run"),
    (errors.OriginalsRunError, 409, "restored_copy"),
    (errors.UnknownThreadError, 404, "unknown_thread"),
    (errors.ThreadBusyError, 409, "thread_busy"),
    (errors.StateError, 503, "state_unavailable"),
    (errors.BindingError, 422, "invalid_request"),
    (errors.UploadNameError, 422, "invalid_name"),
    (errors.SettingsError, 404, "unknown_assistant"),
    (errors.ContractError, 503, "team_unusable"),
    (errors.RunError, 409, "conflict"),
)
"""The status and the short name of each error, the most special class first."""


class ProblemError(Exception):
    """A request that is refused: its status, a short name for programs, and what to do."""

    def __init__(
        self,
        status: int,
        name: str,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        self.status, self.name, self.detail = status, name, detail
        self.headers, self.more = dict(headers or {}), more
        super().__init__(detail)

    def to_response(self) -> Response:
        """Return what the client gets. `error` is its short name, and never changes for a cause."""
        title = self.name.replace("_", " ")
        told = {"type": f"urn:minerva:{self.name}", "title": title, "status": self.status}
        body = {**told, "detail": self.detail, "error": self.name, **self.more}
        return JSONResponse(body, self.status, headers=self.headers, media_type=MEDIA_TYPE)


def not_found(name: str, *, what: str) -> ProblemError:
    """Return the error about something that is not there, or is another tenant's."""
    return ProblemError(404, f"unknown_{what}", f"There is no {what} `{shown_id(name)}`.")


def to_problem(error: Exception) -> ProblemError:
    """Return the problem that an error is; where the database is, no client learns."""
    if isinstance(error, ProblemError):
        return error
    if isinstance(error, RequestValidationError | HTTPException):
        return _framework_problem(error)
    status, name = next(
        ((code, short) for kind, code, short in _STATUSES if isinstance(error, kind)),
        (500, "internal_error"),
    )
    detail, more = str(error), dict[str, Any]()
    if isinstance(error, AlreadyDecidedError):
        more["winners"] = {error.interrupt_id: error.winner}
    elif isinstance(error, ThreadBusyError):
        more["headers"] = {"Retry-After": str(max(1, math.ceil(error.retry_after)))}
    elif isinstance(error, StateError):
        _LOG.error("%s", error)
        detail, more["headers"] = "The database cannot be used now.", {"Retry-After": "1"}
    elif not isinstance(error, MinervaError):
        detail = f"A fault of this server: {type(error).__name__}."
    return ProblemError(status, name, detail, **more)


def _framework_problem(error: RequestValidationError | HTTPException) -> ProblemError:
    if isinstance(error, RequestValidationError):
        return ProblemError(422, "invalid_request", _validation_text(error))
    if error.status_code == _UNREADABLE:  # FastAPI's own word for a body that is no JSON
        return ProblemError(422, "invalid_request", "The body is no JSON in UTF-8.")
    name = {404: "no_such_address", 405: "method_not_allowed"}.get(error.status_code, "http")
    return ProblemError(error.status_code, name, str(error.detail), headers=error.headers)


def add_problems(app: FastAPI) -> None:
    """Answer every error as a problem."""

    async def answer(_: Request, error: Exception) -> Response:
        return to_problem(error).to_response()

    for kind in (Exception, ProblemError, MinervaError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, answer)


def _validation_text(error: RequestValidationError) -> str:
    """Return which part of a request is wrong, and why: one sentence a part."""
    told: list[str] = []
    for each in error.errors()[:5]:
        where = ".".join(str(part) for part in each["loc"][1:]) or str(each["loc"][0])
        told.append(f"{where}: {fault_text(each)}")
    return "; ".join(told)
