"""Turn a provider's error into a typed one, without secrets, and decide on another try."""

import asyncio
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import openai

from minerva_observability.tracing import mask_text
from minerva_platform.errors import (
    ModelError,
    ModelOutputError,
    ModelRequestError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from minerva_platform.models.http_pool import ForeignRedirectError

MAX_MESSAGE = 300
"""Characters of a provider's own words in an error."""
_TOO_MANY = 429
_SERVER = 500
_KEY = frozenset({401, 403})


def error_to_model_error(error: Exception, *, model: str, path: str) -> ModelError:
    """Return the typed error for an exception of the client."""
    if isinstance(error, ModelError):
        return error
    kind, reason = _kind_and_reason(error)
    return kind(model, path, reason)


def is_worth_retrying(error: Exception) -> bool:
    """True if the same request may well succeed a moment later."""
    if isinstance(error, openai.APIStatusError):
        return error.status_code == _TOO_MANY or error.status_code >= _SERVER
    is_final = isinstance(error, openai.APITimeoutError) or _redirect(error) is not None
    return isinstance(error, openai.APIConnectionError) and not is_final


def retry_after_s(error: Exception, *, otherwise: float) -> float:
    """Return the seconds that the provider asks to wait: a number, or an HTTP date."""
    if not isinstance(error, openai.APIStatusError):
        return otherwise
    header = error.response.headers.get("retry-after", "")
    try:
        return max(0.0, float(header))
    except ValueError:
        pass  # a date, or nothing
    try:
        date = parsedate_to_datetime(header)
    except ValueError:
        return otherwise
    return max(0.0, (date - datetime.now(UTC)).total_seconds())


def _kind_and_reason(error: Exception) -> tuple[type[ModelError], str]:
    if isinstance(error, openai.APITimeoutError | asyncio.TimeoutError):
        return ModelTimeoutError, "no whole answer came in time."
    if isinstance(error, openai.APIStatusError):
        return _refusal(error)
    if redirect := _redirect(error):
        return ModelRequestError, str(redirect)
    if isinstance(error, openai.APIConnectionError):
        cause = type(error.__cause__ or error).__name__
        return ModelUnavailableError, f"it cannot be reached ({cause})."
    if isinstance(error, openai.APIError):
        return ModelUnavailableError, f"it failed: {_body_text(error.body or error.message)}"
    return ModelOutputError, f"its answer is no chat completion ({type(error).__name__})."


def _redirect(error: BaseException) -> ForeignRedirectError | None:
    """Return the refused redirect that `error` is; some versions of the client wrap it."""
    for found in (error, error.__cause__):
        if isinstance(found, ForeignRedirectError):
            return found
    return None


def _refusal(error: openai.APIStatusError) -> tuple[type[ModelError], str]:
    status = error.status_code
    if status in _KEY:  # the provider's words may quote the key
        return ModelRequestError, f"the API key is refused ({status}); check it."
    if status == _TOO_MANY:
        return ModelUnavailableError, "too many requests (429)."
    if status >= _SERVER:
        return ModelUnavailableError, f"the server failed ({status})."
    return ModelRequestError, f"the request is refused ({status}): {_body_text(error.body)}"


def _body_text(body: Any) -> str:
    message: Any = body.get("message") if hasattr(body, "get") else None
    text = str(message or body)
    return mask_text(text)[:MAX_MESSAGE]
