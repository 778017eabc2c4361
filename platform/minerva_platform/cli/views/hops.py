"""Draw a tree of hops: the members that worked, their times, and which ran side by side.

A hop's bar shows its time within the run, so hops side by side are visible at once.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from minerva_platform.cli.io.console import cut
from minerva_platform.cli.io.stream import printable
from minerva_platform.cli.views.fitted_table import NO_BREAK, Column
from minerva_platform.cli.views.hop_tree import CallLine, HopTree, SpanLine
from minerva_platform.cli.views.stats import duration, wait_text
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

PartT = TypeVar("PartT", bound=CallLine | SpanLine)

_BAR = 24
"""Cells of the whole run's bar."""
_BAR_FROM = 96
"""Columns a terminal must have for bars."""
_NOTE = 8
"""The cells that a note has at least."""
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

TEXTS = read_texts("minerva_platform.cli.views", "hops")

_MARKS = {
    "ok": ("✓", "green"),
    "ok_degraded": ("▲", "yellow"),
    "failed": ("✗", "red"),
    "timeout": ("✗", "red"),
    "skipped": ("-", "yellow"),
    "paused": ("?", "cyan"),
    "needs_human": ("?", "cyan"),
}


@dataclass(frozen=True, slots=True)
class Look:
    """How much of a tree is drawn."""

    width: int
    now_ns: int | None = None
    """The time, while the run goes on; None for a run that is over."""
    details: bool = False
    """True if every step has a line of its own, with its self time and its tries."""
    language: Language = "en"
    causes: frozenset[str] = frozenset()
    """Errors that are told elsewhere; the tree names what was done about them alone."""


@dataclass(frozen=True, slots=True)
class _Line:
    lead: str
    hop: CallLine
    step: SpanLine | None = None


def draw_tree(tree: HopTree, look: Look) -> Table:
    """Return the tree as a table: hop, what it did, milliseconds, bar."""
    lines = [line for root in tree.roots for line in _lines(root, "", "", details=look.details)]
    starts = [hop.started_ns for hop in tree.by_path.values() if hop.started_ns]
    begin = min(starts, default=0)
    end = max((_end_ns(hop, look) for hop in tree.by_path.values()), default=begin + 1)
    rows = [_cells(line, look) for line in lines]
    bars = [_bar(line, begin, end, look) for line in lines] if look.width >= _BAR_FROM else None
    room = look.width - (_BAR if bars else 0) - 2
    names, times, owns = (max(cell_len(row[index].plain) for row in rows) for index in (0, 2, 3))
    if room - names - times - owns - 6 < _NOTE:  # what is its own goes first
        rows = [(name, note, time, Text("")) for name, note, time, _ in rows]
        owns = 0
    column = Column("", [row[0] for row in rows], kind="name")
    most = max(column.narrowest, min(names, room - times - owns - 6 - _NOTE))
    room -= most + times + owns + 6
    table = Table.grid(padding=(0, 2, 0, 0))
    for justify in ("left", "left", "right", "right", "left"):
        table.add_column(no_wrap=True, justify=justify)
    for index, row in enumerate(rows):
        _shorten(row[1], max(room, _NOTE))
        table.add_row(column.fit(row[0], most), *row[1:], *([bars[index]] if bars else []))
    return table


def _shorten(note: Text, room: int) -> None:
    """End `note` after a word: a name that is cut in two says nothing."""
    shown = cut(note.plain, room)
    if shown != note.plain:
        note.right_crop(len(note.plain) - len(shown.removesuffix("…")))
        note.append("…")


def _cells(line: _Line, look: Look) -> tuple[Text, Text, Text, Text]:
    """Return hop, note, milliseconds and, with details, the milliseconds of its own."""
    timed = line.step or line.hop
    span = _ms(timed.self_ms)
    own = Text(TEXTS("self", look.language, span=span) if look.details else "", style="dim")
    return _name(line, look), _note(line, look), _time(line, look), own


def _lines(hop: CallLine, lead: str, below: str, *, details: bool) -> list[_Line]:
    found = [_Line(lead, hop)]
    parts: list[CallLine | SpanLine] = [*(hop.steps if details else ()), *hop.hops]
    parts.sort(key=lambda part: part.started_ns)
    for part, branch, under in _branches(parts):
        if isinstance(part, CallLine):
            found += _lines(part, below + branch, below + under, details=details)
        else:
            found += _step_lines(hop, part, below + branch, below + under)
    return found


def _step_lines(hop: CallLine, step: SpanLine, lead: str, below: str) -> list[_Line]:
    found = [_Line(lead, hop, step)]
    for part, branch, under in _branches(step.steps):
        found += _step_lines(hop, part, below + branch, below + under)
    return found


def _branches(parts: Sequence[PartT]) -> Iterator[tuple[PartT, str, str]]:
    """Yield each part with its branch sign and the indent of the lines below it."""
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        yield (part, "└─ ", "   ") if last else (part, "├─ ", "│  ")


def _name(line: _Line, look: Look) -> Text:
    step, hop = line.step, line.hop
    text = Text().append(line.lead.replace(" ", NO_BREAK), style="dim")
    if step is not None and step.kind == "wait":
        return text.append(f"…{NO_BREAK}{wait_text(step.name, look.language)}", style="dim")
    mark, colour = mark_of(step.status, action=step.action) if step else _mark(hop, look)
    text.append(f"{mark}{NO_BREAK}", style=colour)
    weight = "dim" if step else "bold" if hop.hops or hop.routes else ""
    return text.append(printable((step or hop).name), style=weight)


def mark_of(status: str | None, *, action: str | None = None) -> tuple[str, str]:
    """Return the sign and the colour of a status. None: it never finished.

    A step that ended well after an action about a failure has a sign of its own.
    """
    if status is None:
        return "…", "yellow"
    return _MARKS.get("ok_degraded" if status == "ok" and action else status, ("·", ""))


def _mark(hop: CallLine, look: Look) -> tuple[str, str]:
    if hop.status is not None or look.now_ns is None:
        return mark_of(hop.status, action=hop.action)
    return _SPINNER[look.now_ns // 100_000_000 % len(_SPINNER)], "cyan"


def _note(line: _Line, look: Look) -> Text:
    """Return the note of a line: an error, the router's choice, or the steps so far."""
    if line.step is not None:
        return _step_note(line.step, look)
    hop = line.hop
    if hop.error and not hop.hops:
        parts = [*_effects(hop, look), _error(hop.error, hop.action, look)]
        return Text(" · ".join(filter(None, parts)), style="red")
    if hop.status is None and look.now_ns is None:
        return Text(TEXTS("unfinished", look.language), style="yellow")
    if hop.running:
        now = [*hop.running.values(), *filter(None, [hop.progress])]
        return Text(printable(", ".join(now)), style="cyan")
    told = [_progress_text(hop, look), *_relatives(hop, look)]
    return Text(" · ".join(filter(None, told)), style="dim")


def _progress_text(hop: CallLine, look: Look) -> str:
    if hop.routes:
        return _goals([goal for route in hop.routes for goal in route.goals], look)
    if hop.hops:
        key = "goes_on" if hop.is_resumed else f"role.{hop.role}"
        return TEXTS(key, look.language) if TEXTS.has(key) else ""
    passed = [f"→ {', '.join(hop.passed_to)}"] if hop.passed_to else []
    passed += _effects(hop, look)
    if look.details:
        return printable(" · ".join([*filter(None, [hop.reason, hop.progress]), *passed]))
    steps = [step for step in hop.steps if step.kind == "node"]
    return printable(" · ".join([*(f"{step.name} {_short(step.ms)}" for step in steps), *passed]))


def _relatives(hop: CallLine, look: Look) -> Iterator[str]:
    for key in ("started_run", "started_by"):
        if run_id := getattr(hop, key):
            yield TEXTS(key, look.language, run=run_id[:8])


def _goals(goals: Sequence[str], look: Look) -> str:
    return printable(f"→ {', '.join(goals) or TEXTS('nobody', look.language)}")


def _effects(hop: CallLine, look: Look) -> list[str]:
    text = TEXTS("effects", look.language, effects=", ".join(hop.effects))
    return [printable(text)] if hop.effects else []


def _step_note(step: SpanLine, look: Look) -> Text:
    language, span = look.language, duration(step.waited_ms, look.language)
    is_again = step.attempt > 1 or step.action == "retried"
    note = Text(TEXTS("attempt", language, number=step.attempt) if is_again else "")
    if step.goals is not None:
        note.append(_goals(step.goals, look), style="dim")
    if step.by:
        by = TEXTS("decided", language, name=printable(step.by), span=span)
        note.append(by, style="cyan")
    elif step.waited_ms:
        note.append(TEXTS("waited", language, span=span), style="cyan")
    if step.error:
        note.append(" " if note else "").append(_error(step.error, step.action, look), style="red")
    return note


def _error(error: Mapping[str, str], action: str | None, look: Look) -> str:
    text = error_text(error)
    text = "" if text in look.causes else " ".join(text.split())
    return ": ".join(filter(None, (action_text(action, look.language), text)))


def action_text(action: str | None, language: Language) -> str:
    """Return what was done about a failure, in words of `language` if it is known."""
    key = f"action.{action}"
    return TEXTS(key, language) if TEXTS.has(key) else printable(action or "")


def error_text(error: Mapping[str, str]) -> str:
    """Return a row's error: class, message, and its place in a worker's code."""
    text = f"{error.get('type', '')}: {error.get('message', '')}".strip(": ")
    where = error.get("where")
    return printable(f"{text} ({where})" if where else text)


def _time(line: _Line, look: Look) -> Text:
    if line.step is not None:
        return Text(_ms(line.step.ms), style="dim")
    hop = line.hop
    if hop.ms is not None:
        return Text(_ms(hop.ms), style="bold" if hop.hops else "")
    if look.now_ns is None or not hop.started_ns:
        return Text("")
    return Text(f"{max(0, look.now_ns - hop.started_ns) / 1e9:.1f} s", style="cyan")


def _bar(line: _Line, begin: int, end: int, look: Look) -> Text:
    hop = line.hop
    if line.step is not None or not hop.started_ns:
        return Text("")
    span = max(end - begin, 1)
    first = min((hop.started_ns - begin) * _BAR // span, _BAR - 1)
    cells = round((_end_ns(hop, look) - hop.started_ns) * _BAR / span)
    length = max(1, min(cells, _BAR - first))
    _, colour = _mark(hop, look)
    style = "dim" if hop.hops else colour
    return Text(" " * first).append("━" * length, style=style)


def _end_ns(hop: CallLine, look: Look) -> int:
    if hop.ms is not None:
        return hop.started_ns + int(hop.ms * 1e6)
    return look.now_ns or hop.started_ns


def _ms(ms: float) -> str:
    return f"{ms:,.0f} ms" if ms >= 10 else f"{ms:.1f} ms"  # noqa: PLR2004  # two digits say enough


def _short(ms: float) -> str:
    return f"{ms:,.0f}" if ms >= 1 else "<1"
