"""A failure as data: what broke, in words that may be kept and shown."""

from minerva_observability import Masking, current_scope
from minerva_platform.contract import ErrorInfo

MAX_MESSAGE = 2000
"""Characters of an error's text that may enter the parent's state."""


def error_to_info(error: BaseException) -> ErrorInfo:
    """Return the class and text of `error`: secrets and sensitive values masked, short."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  # somebody else's __str__
        text = "(its message cannot be shown)"
    scope = current_scope()
    text = scope.masking.mask_text(text, scope.hidden) if scope else Masking().mask_text(text)
    if len(text) > MAX_MESSAGE:
        text = f"{text[:MAX_MESSAGE]}… ({len(text) - MAX_MESSAGE} more characters)"
    return ErrorInfo(type=type(error).__name__, message=text)
