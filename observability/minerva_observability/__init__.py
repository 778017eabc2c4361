"""Records of what ran, for how long, and how it ended. Importing this costs almost nothing."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from minerva_observability.masking import HiddenValues, Masking, default_masking, text_to_sha256
    from minerva_observability.record import (
        SCHEMA,
        Action,
        ErrorInfo,
        Kind,
        Record,
        RecordRow,
        SpanFields,
        Status,
    )
    from minerva_observability.recorder import NO_RECORDER, Recorder, Sink
    from minerva_observability.scope import Clock, RunScope, current_scope, current_span, new_run_id
    from minerva_observability.sinks.memory import MemorySink
    from minerva_observability.span import Span, record_span

_MODULES: Final = {
    "masking": ("HiddenValues", "Masking", "default_masking", "text_to_sha256"),
    "record": (
        "SCHEMA",
        "Action",
        "ErrorInfo",
        "Kind",
        "Record",
        "RecordRow",
        "SpanFields",
        "Status",
    ),
    "recorder": ("NO_RECORDER", "Recorder", "Sink"),
    "scope": ("Clock", "RunScope", "current_scope", "current_span", "new_run_id"),
    "sinks.memory": ("MemorySink",),
    "span": ("Span", "record_span"),
}
_HOME: Final = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "NO_RECORDER",
    "SCHEMA",
    "Action",
    "Clock",
    "ErrorInfo",
    "HiddenValues",
    "Kind",
    "Masking",
    "MemorySink",
    "Record",
    "RecordRow",
    "Recorder",
    "RunScope",
    "Sink",
    "Span",
    "SpanFields",
    "Status",
    "current_scope",
    "current_span",
    "default_masking",
    "new_run_id",
    "record_span",
    "text_to_sha256",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for, when it is asked for (PEP 562)."""
    if name not in _HOME:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
