"""One log pipeline: coloured lines on a terminal, JSON elsewhere, secrets masked in both.

Each line carries the run id and the hop path of the context in which it was logged, and is masked
as records are. Loggers of the standard library write through the same pipeline.
"""

import logging
import os
import re
import sys
from collections.abc import Mapping, MutableMapping
from typing import Any, Final, Literal, TextIO

import structlog
from structlog.typing import Processor

from minerva_observability.masking.masking import Masking
from minerva_observability.records.encoding import to_json
from minerva_observability.tracing.scope import current_scope
from minerva_observability.tracing.span import current_span

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

LogFormat = Literal["console", "json"]

FORMAT_VARIABLE: Final = "MINERVA_LOG"
"""`json` or `console`; without it, JSON unless standard error is a terminal."""


def configure_logging(
    *,
    level: str = "WARNING",
    stream: TextIO | None = None,
    masking: Masking | None = None,
    environment: Mapping[str, str] | None = None,
) -> LogFormat:
    """Send all logs to `stream` (default: standard error) and return the chosen format.

    `level` is a level name of the standard library. `masking` masks every line; without it, the
    masking of the current run does. `environment` (default: the process's) may hold `MINERVA_LOG`.
    A second call replaces the settings of the first. Nothing goes to standard output, which
    belongs to answers.
    """
    out: TextIO = stream or sys.stderr
    chosen = log_format(out, os.environ if environment is None else environment)
    shared: list[Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        bind_context,
        structlog.processors.format_exc_info,  # before the mask: a traceback quotes values
        _masker(masking),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,  # a logger made before this call must follow it
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *_renderers(chosen, out),
            ],
        ),
    )
    _replace_handler(handler)
    logging.getLogger().setLevel(level)
    return chosen


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """Return a logger whose lines carry the current run id and hop path."""
    logger: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return logger


def log_format(stream: TextIO, environment: Mapping[str, str]) -> LogFormat:
    """Return the format that `MINERVA_LOG` names, else `console` for a terminal and `json`."""
    asked = environment.get(FORMAT_VARIABLE, "").strip().lower()
    if asked == "json":
        return "json"
    if asked == "console":
        return "console"
    return "console" if stream.isatty() else "json"


def bind_context(
    _logger: Any,
    _method: str,
    event: MutableMapping[str, Any],
) -> MutableMapping[str, Any]:
    """Add the run id, the thread id and the hop path of the current context to `event`."""
    scope, span = current_scope(), current_span()
    if scope is not None:
        event.setdefault("run_id", scope.run_id)
        if scope.thread_id is not None:
            event.setdefault("thread_id", scope.thread_id)
    if span is not None:
        event.setdefault("path", span.path)
    return event


def _masker(own_masking: Masking | None) -> Processor:
    """Return a processor that masks by `own_masking`, else by the run's masking, else a default."""
    outside = own_masking or Masking()

    def mask(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
        scope = current_scope()
        hidden = None if scope is None else scope.secrets
        masking = outside if scope is None or own_masking is not None else scope.masking
        masking.refresh()
        own = {key: value for key, value in event.items() if key.startswith("_")}  # structlog's
        rest = {key: value for key, value in event.items() if key not in own}
        return {**masking.mask_value(rest, hidden), **own}

    return mask


def _renderers(kind: LogFormat, stream: TextIO) -> list[Processor]:
    if kind == "json":
        return [structlog.processors.JSONRenderer(serializer=_to_text)]
    console = structlog.dev.ConsoleRenderer(
        colors=stream.isatty(),
        exception_formatter=structlog.dev.plain_traceback,  # others print local variables
    )
    return [_without_control, console]


def _without_control(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> Any:
    """Escape control characters, so a worker's text cannot steer the terminal."""
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = _CONTROL.sub(lambda match: repr(match[0])[1:-1], value)
    return event


def _to_text(event: Any, **_options: Any) -> str:
    return to_json(event).decode()


def _replace_handler(handler: logging.Handler) -> None:
    root = logging.getLogger()
    handler.set_name("minerva")
    for other in list(root.handlers):
        if other.get_name() == "minerva":
            root.removeHandler(other)
    root.addHandler(handler)
