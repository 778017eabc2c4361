"""Draw the list of runs, and one run: what is on record, with what the store knows of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, cast

from rich.console import Group, RenderableType
from rich.text import Text

from minerva_observability.records import RecordRow, RunSummary
from minerva_platform.cli.io.stream import one_line, printable
from minerva_platform.cli.views.fitted_table import (
    NO_BREAK,
    Kind,
    columns_of,
    fit_table,
    note_hidden,
)
from minerva_platform.cli.views.hop_tree import CallLine, HopTree, Route
from minerva_platform.cli.views.hops import Look, action_text, draw_tree, error_text, mark_of
from minerva_platform.cli.views.stats import duration
from minerva_platform.storage.ledger.run_row import RunHead
from minerva_platform.storage.ledger.schema import LOCAL
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.views", "runs")
_CLOCK = "%Y-%m-%d %H:%M:%S"
_OF_LIST: Final[tuple[tuple[Kind, int], ...]] = (
    *(("phrase", 0), ("phrase", 2), ("phrase", 0)),
    *(("number", 5), ("number", 7), ("number", 6)),
    *(("name", 1), ("name", 2), ("words", 1)),
)
_OF_ROUTES: Final[tuple[tuple[Kind, int], ...]] = (
    *(("name", 0), ("name", 0), ("name", 3), ("name", 2), ("number", 4), ("number", 1)),
)
"""The kinds of the columns of both tables, and their ranks."""
_SCORES = 3
"""Scores that are shown of a decision. More are shown if more members were chosen."""


@dataclass(frozen=True, slots=True)
class KeptRuns:
    """What the store knows of runs."""

    ids: frozenset[str] | None = None
    """Those of the tenant that was named; None: all."""
    heads: Mapping[str, RunHead] = field(default_factory=dict[str, RunHead])
    """Those on record that are listed, and those that are not on record yet."""
    left: frozenset[str] = frozenset()
    """Those marked `running` that no process works on."""
    words: Callable[[str], str] = str


def draw_list(
    new: Sequence[RunHead],
    recorded: Sequence[RunSummary],
    kept: KeptRuns,
    width: int,
    language: Language,
) -> Group:
    """Return the table of runs: first those that are not on record yet."""
    rows = [_list_row(head, None, kept, language) for head in new]
    rows += [_list_row(kept.heads.get(run.run_id), run, kept, language) for run in recorded]
    columns = columns_of(TEXTS.row("column", language), _OF_LIST, rows)
    table, hidden = fit_table(columns, width)
    return Group(table, *note_hidden(hidden, "--json", language))


def _list_row(
    head: RunHead | None, run: RunSummary | None, kept: KeptRuns, language: Language
) -> tuple[Text, ...]:
    status, reason = end_of(run, head, kept, language)
    at = _local(run.started_at) if run else ""
    whose = ("", "", "")
    if head is not None:
        at = at or _clock(head.created)
        tenant = "" if head.tenant == LOCAL else head.tenant
        whose = (tenant, head.requester or "", kept.words(head.request))
    spent = f"{run.ms:,.0f} ms" if run and run.ms is not None else ""
    hops, failures = (str(run.hops), str(run.failures or "")) if run else ("", "")
    run_id = (head.run_id if head else run.run_id if run else "")[:8]
    shown = [run_id, at, "", spent, hops, failures, *whose]
    cells = [Text(one_line(each)) for each in shown]
    cells[2] = _status(status, reason, language)
    cells[2].plain = cells[2].plain.replace(" ", NO_BREAK, 1)
    cells[5].stylize("yellow")
    return tuple(cells)


def draw_run(
    rows: Sequence[RecordRow], head: RunHead | None, kept: KeptRuns, width: int, language: Language
) -> Iterator[RenderableType]:
    """Yield the parts of a run: its end, its words, its tree, its routing, its failures."""
    tree = HopTree.from_rows(rows)
    run_id = tree.run_id or (head.run_id if head else "")
    yield Text(printable(TEXTS("run", language, run=run_id)), style="bold")
    yield _line_of_run(tree, rows, head, kept, language)
    if head is not None and (words := kept.words(head.request)):
        yield Text(one_line(words))
    if not rows:
        return
    yield Text("")
    causes = frozenset(_cause(row) for row in rows if row.get("action"))
    yield draw_tree(tree, Look(width=width, details=True, language=language, causes=causes))
    if any(hop.routes for root in tree.roots for hop in root.walk()):
        yield Text("")
        yield _route_table(tree, width, language)
    if failures := list(_failures(rows, language)):
        yield Text("")
        yield from failures


def _line_of_run(
    tree: HopTree,
    rows: Sequence[RecordRow],
    head: RunHead | None,
    kept: KeptRuns,
    language: Language,
) -> Text:
    """Return the run's end, its start, who asked, and its usage besides time."""
    began = next((row.get("started_at") for row in rows if row["kind"] == "run"), None)
    prompt = sum(row.get("prompt_tokens", 0) for row in rows)
    completion = sum(row.get("completion_tokens", 0) for row in rows)
    cost = sum(row.get("cost", 0.0) for row in rows)
    waited_ms = sum(row.get("waited_ms", 0.0) for row in rows)
    at = _local(began) if began else _clock(head.created if head else 0.0)
    told = (
        TEXTS("began", language, at=at) if at else "",
        TEXTS("by", language, name=head.requester) if head and head.requester else "",
        TEXTS("tenant", language, name=head.tenant) if head and head.tenant != LOCAL else "",
        TEXTS("tokens", language, prompt=prompt, completion=completion)
        if prompt or completion
        else "",
        TEXTS("cost", language, cost=cost) if cost else "",
        TEXTS("persons", language, span=duration(waited_ms, language)) if waited_ms else "",
    )
    root = tree.roots[0] if tree.roots else None
    line = _status(*end_of(root, head, kept, language), language)
    return line.append("".join(f" · {one_line(each)}" for each in told if each), style="dim")


def end_of(
    seen: RunSummary | CallLine | None, head: RunHead | None, kept: KeptRuns, language: Language
) -> tuple[str | None, str | None]:
    """Return a run's status and its reason: the store knows what came after the last record."""
    if head is not None and head.run_id in kept.left:
        return head.status, TEXTS("nobody_works", language)
    if seen is None or (head is not None and head.status != seen.status):
        return (head.status, head.reason) if head else (None, None)
    return seen.status, seen.reason


def _status(status: str | None, reason: str | None, language: Language) -> Text:
    mark, colour = mark_of(status)
    word = printable(status or TEXTS("unfinished", language))
    text = Text(f"{mark} {word}", style=colour)
    return text.append(f" ({printable(reason)})") if reason else text


def _local(timestamp: str | None) -> str:
    if timestamp is None:
        return ""
    try:
        return datetime.fromisoformat(timestamp).astimezone().strftime(_CLOCK)
    except ValueError:
        return printable(timestamp)


def _clock(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime(_CLOCK) if seconds else ""


def _route_table(tree: HopTree, width: int, language: Language) -> Group:
    rows: list[tuple[Text, ...]] = []
    for hop in (hop for root in tree.roots for hop in root.walk()):
        for route in hop.routes:
            chosen = "\n".join(route.goals) or TEXTS("nobody", language)
            if route.unserved:
                left_out = TEXTS("left_out", language, count=route.unserved)
                chosen += f"\n({left_out.replace(' ', NO_BREAK)})"
            margin = "" if route.margin is None else f"{route.margin:.2f}"
            row = (hop.path, chosen, route.router, _scores(route, language), margin)
            rows.append(tuple(Text(printable(cell)) for cell in (*row, f"{route.ms:.1f} ms")))
    columns = columns_of(TEXTS.row("routing", language), _OF_ROUTES, rows)
    table, hidden = fit_table(columns, width)
    return Group(table, *note_hidden(hidden, "--json", language))


def _scores(route: Route, language: Language) -> str:
    """Return the best scores, one a line, and the number of others."""
    best_first = sorted(route.scores.items(), key=lambda item: -item[1])
    shown = max(_SCORES, len(route.goals) + 1)
    lines = [f"{score:5.2f}{NO_BREAK}{name}" for name, score in best_first[:shown]]
    if len(best_first) > shown:
        lines.append(" " * 6 + TEXTS("others", language, count=len(best_first) - shown))
    return "\n".join(lines)


def _failures(rows: Sequence[RecordRow], language: Language) -> Iterator[Text]:
    """Yield each cause once, with what was done about it where. Consequences come last."""
    places: dict[str, list[str]] = {}
    for row in sorted((row for row in rows if row.get("action")), key=_order_of_failure):
        because_of = row.get("because_of")
        cause = TEXTS("because_of", language, path=because_of) if because_of else _cause(row)
        place = f"{action_text(row.get('action'), language)}  {row['path']}"
        places.setdefault(cause, []).append(place)
    for cause, told in places.items():
        where = ", ".join(dict.fromkeys(told))
        yield Text(printable(f"{where}  {cause}"), style="yellow")


def _cause(row: RecordRow) -> str:
    return error_text(_error_of(row))


def _order_of_failure(row: RecordRow) -> tuple[bool, str]:
    return "because_of" in row, str(row.get("started_at", ""))


def _error_of(row: RecordRow) -> Mapping[str, str]:
    """Return the error of a row. Other programs may have left it out."""
    error: object = row.get("error")  # the reader vouches for what every row has, only
    if isinstance(error, Mapping):
        return cast("Mapping[str, str]", error)
    return {"message": str(row.get("reason", ""))}
