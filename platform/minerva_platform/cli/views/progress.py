"""Show a run while it goes on: a live tree for a person, one line for anything else."""

import logging
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from minerva_observability import Record, Span
from minerva_observability.tracing import mask_text
from minerva_platform.cli.io.stream import may_draw, printable
from minerva_platform.cli.views.hop_tree import CallLine, HopTree, Row
from minerva_platform.run_context.user_messages import NOTICES
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from minerva_platform.contract.run_object import Run

_FRAMES_PER_SECOND = 8
TEXTS = read_texts("minerva_platform.cli.views", "progress")
_MAX_TITLE_CHARACTERS = 200
"""Characters of a request that are shown above its tree."""


class ProgressView:
    """A sink that grows the tree of the current run."""

    records_dropped = 0
    is_live = True

    def __init__(self) -> None:
        self.tree = HopTree()
        self.open_spans: dict[str, Span] = {}
        """Open spans by their id, outermost first."""
        self._lock = threading.Lock()  # spans also end in OS threads of workers

    def started(self, span: Span) -> None:
        """Add the span to the tree."""
        row: Row = {
            "run_id": span.scope.run_id,
            "span_id": span.span_id,
            "path": span.path,
            "kind": span.kind,
            "node": span.fields.get("node", ""),
            "started_ns": span.started_ns,
            "resume_no": span.scope.resume_no,
            "role": span.fields.get("role"),
        }
        with self._lock:
            self.open_spans[span.span_id] = span
            self.tree.open(row)

    def finished(self, record: Record) -> None:
        """Complete it there."""
        with self._lock:
            self.open_spans.pop(record.span_id, None)
            self.tree.close(record.to_json_dict())

    def close(self) -> None:
        """Nothing is pending here."""

    @property
    def at_work(self) -> tuple[str, ...]:
        """The paths of the members that work now, without the supervisors above them.

        It takes no lock: a signal's handler asks, and may have interrupted the holder.
        """
        paths = [span.path for span in tuple(self.open_spans.values()) if span.kind == "agent"]
        return tuple(
            path for path in paths if not any(other.startswith(f"{path}/") for other in paths)
        )

    @property
    def root(self) -> CallLine | None:
        """The run itself, once it has started."""
        return self.tree.roots[0] if self.tree.roots else None

    def draw(self, title: str, width: int, language: Language) -> "RenderableType":
        """Return the tree as it is now, under `title`."""
        from rich.console import Group  # noqa: PLC0415  # only where something is drawn
        from rich.text import Text  # noqa: PLC0415  # see above

        from minerva_platform.cli.views.hops import Look, draw_tree  # noqa: PLC0415  # see above

        shown = Text(title, style="bold cyan")
        with self._lock:
            if self.root is None:
                return Group(shown, Text(TEXTS("loading", language), style="dim"))
            now = None if self.root.status else time.time_ns()
            return Group(
                shown, draw_tree(self.tree, Look(width=width, now_ns=now, language=language))
            )


@contextmanager
def shown_progress(title: str, language: Language) -> Generator[ProgressView]:
    """Draw the run's tree on standard error while the block runs, if a person looks."""
    progress = ProgressView()
    if not may_draw():
        yield progress
        return
    from rich.console import Console  # noqa: PLC0415  # only where something is drawn
    from rich.live import Live  # noqa: PLC0415  # see above

    console = Console(stderr=True, highlight=False)
    with Live(
        console=console,
        refresh_per_second=_FRAMES_PER_SECOND,
        get_renderable=lambda: progress.draw(title, console.width, language),
        vertical_overflow="ellipsis",
    ) as live:
        live.refresh()  # otherwise nothing is seen until the first frame is due
        yield progress
    console.print()


def request_to_title(request: str) -> str:
    """Return a request as one line above its tree."""
    title = " ".join(printable(mask_text(request)).split())
    return title if len(title) <= _MAX_TITLE_CHARACTERS else f"{title[:_MAX_TITLE_CHARACTERS]}…"


def status_line(run: "Run", progress: ProgressView, language: Language = "en") -> str:
    """Return a run's end in one line, with the command that shows more."""
    root = progress.root
    hops, calls = len(run.hops), run.usage.model_calls
    return TEXTS(
        "status",
        language,
        status=f"{run.status} ({run.reason})" if run.reason else run.status,
        hops=TEXTS("hops.one" if hops == 1 else "hops.many", language, count=hops),
        spent=f"{root.ms:,.0f} ms" if root and root.ms is not None else TEXTS("untimed", language),
        calls=TEXTS(f"calls.{_number(calls)}", language, count=calls),
        command=f"{minerva_command()} runs {run.run_id[:8]}",
    )


def _number(count: int) -> str:
    return {0: "none", 1: "one"}.get(count, "many")


class _Saying(logging.Handler):
    """Prints what is logged, without level and time."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print the text of `record`."""
        say(record.getMessage())


def say_notices() -> None:
    """Print notices for the person as sentences, not as lines of a log."""
    logger = logging.getLogger(NOTICES)
    logger.handlers, logger.propagate = [_Saying()], False


def say(text: str) -> None:
    """Print one line for the person, beside the answer. Secrets are masked: a log may keep it."""
    sys.stderr.write(f"{printable(mask_text(text))}\n")
    sys.stderr.flush()
