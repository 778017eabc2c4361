"""Draw the list of runs, and one run: what is on record, with what the store knows of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from rich.console import Group, RenderableType
from rich.text import Text

from minerva_observability.records import RecordRow, RunSummary
from minerva_platform.cli.io.stream import one_line, printable
from minerva_platform.cli.views.fitted_table import NO_BREAK, columns_of, fit_table
from minerva_platform.cli.views.hop_tree import CallLine, HopTree, Route, timestamp_to_ns
from minerva_platform.cli.views.hops import Look, action_text, draw_tree, error_text, mark_of
from minerva_platform.cli.views.stats import duration, money
from minerva_platform.storage.ledger.run_row import RunHead
from minerva_platform.storage.ledger.schema import LOCAL
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.views", "runs")
_SCORES = 3
"""Scores that are shown of a decision. More are shown if more members were chosen."""


@dataclass(frozen=True, slots=True)
class StoreView:
    """What the store knows of runs."""

    ids: frozenset[str] | None = None
    """Those of the tenant that was named; None: all."""
    heads: Mapping[str, RunHead] = field(default_factory=dict[str, RunHead])
    """Those on record that are listed, and those that are not on record yet."""
    orphans: frozenset[str] = frozenset()
    """Those that are not over, and neither wait for anybody nor are worked on."""
    words: Callable[[str], str] = str


def draw_list(
    new: Sequence[RunHead],
    summaries: Sequence[RunSummary],
    view: StoreView,
    width: int,
    language: Language,
) -> Group:
    """Return the table of runs: first those that are not on record yet."""
    rows = [_list_row(head, None, view, language) for head in new]
    rows += [_list_row(view.heads.get(run.run_id), run, view, language) for run in summaries]
    kinds = "phrase phrase phrase number number number name name words"
    ranks = (0, 1.6, 0, 2, 7, 1.8, 1, 1.4, 1)
    columns = columns_of(TEXTS.row("column", language), kinds, ranks, rows)
    return fit_table(columns, width, language)


def _list_row(
    head: RunHead | None, run: RunSummary | None, view: StoreView, language: Language
) -> list[Text]:
    figures = ("", "", "", "")
    if run is not None:
        ms = "" if run.ms is None else duration(run.ms, language)
        figures = (_clock(run.started_at), ms, str(run.hops), str(run.failures or ""))
    run_id, tenant, requester, words = run.run_id if run else "", "", "", ""
    if head is not None:
        run_id, requester, words = head.run_id, head.requester or "", view.words(head.request)
        tenant = "" if head.tenant == LOCAL else head.tenant
        figures = (figures[0] or _clock(head.created), *figures[1:])
    row = (run_id[:8], figures[0], "", *figures[1:], tenant, requester, words)
    cells = [Text(one_line(each)) for each in row]
    cells[2] = _status(*end_of(run, head, view, language), language)
    cells[2].plain = cells[2].plain.replace(" ", NO_BREAK, 1)
    cells[5].stylize("yellow")
    return cells


def draw_run(
    rows: Sequence[RecordRow], head: RunHead | None, view: StoreView, width: int, language: Language
) -> Iterator[RenderableType]:
    """Yield the parts of a run: its end, its words, its tree, its routing, its failures."""
    tree = HopTree.from_rows(rows)
    run_id = tree.run_id or (head.run_id if head else "")
    yield Text(printable(TEXTS("run", language, run=run_id)), style="bold")
    yield _line_of_run(tree, rows, head, view, language)
    if head is not None and (words := view.words(head.request)):
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
    view: StoreView,
    language: Language,
) -> Text:
    """Return the run's end, its start, who asked, and its usage besides time."""
    began = next((row.get("started_at") for row in rows if row["kind"] == "run"), None)
    versions = next((row["versions"] for row in rows if "versions" in row), dict[str, str]())
    prompt = sum(row.get("prompt_tokens", 0) for row in rows)
    completion = sum(row.get("completion_tokens", 0) for row in rows)
    models = [row for row in rows if row["kind"] == "model"]
    costs = [row["cost"] for row in models if "cost" in row]
    waited_ms = sum(row.get("waited_ms", 0.0) for row in rows)
    at = began or (head.created if head else None)
    parts = (
        TEXTS("began" if began else "accepted", language, at=_clock(at)) if at else "",
        TEXTS("by", language, name=head.requester) if head and head.requester else "",
        TEXTS("tenant", language, name=head.tenant) if head and head.tenant != LOCAL else "",
        ", ".join(versions.values()),
        TEXTS("tokens", language, prompt=prompt, completion=completion)
        if prompt or completion
        else "",
        money(sum(costs) if costs else None, len(models) - len(costs), language),
        TEXTS("persons", language, span=duration(waited_ms, language)) if waited_ms else "",
    )
    root = tree.roots[0] if tree.roots else None
    line = _status(*end_of(root, head, view, language), language)
    return line.append("".join(f" · {one_line(each)}" for each in parts if each), style="dim")


def end_of(
    seen: RunSummary | CallLine | None, head: RunHead | None, view: StoreView, language: Language
) -> tuple[str | None, str | None]:
    """Return a run's status and its reason: the store knows what came after the last record."""
    if head is not None and head.run_id in view.orphans:
        return None, TEXTS("nobody_works", language)
    if head is not None and head.cancelled_by is not None:
        return head.status, TEXTS("by_whom", language, name=head.cancelled_by)
    if seen is None or (head is not None and head.status != seen.status):
        return (head.status, head.reason) if head else (None, None)
    return seen.status, seen.reason


def _status(status: str | None, reason: str | None, language: Language) -> Text:
    mark, colour = mark_of(status)
    word = printable(status or TEXTS("unfinished", language))
    text = Text(f"{mark} {word}", style=colour)
    return text.append(f" ({printable(reason)})") if reason else text


def _clock(at: str | float | None) -> str:
    """Return a timestamp, or seconds since 1970, by this machine's clock."""
    if isinstance(at, str):
        at = timestamp_to_ns(at) / 1e9
    return f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%d %H:%M:%S}" if at else ""


def _route_table(tree: HopTree, width: int, language: Language) -> Group:
    rows: list[list[Text]] = []
    for hop in (hop for root in tree.roots for hop in root.walk()):
        for route in hop.routes:
            goals = "\n".join(route.goals) or TEXTS("nobody", language)
            if route.unserved:
                rest = TEXTS("left_out", language, count=route.unserved)
                goals += f"\n({rest.replace(' ', NO_BREAK)})"
            margin = "" if route.margin is None else f"{route.margin:.2f}"
            row = (hop.path, goals, route.router, _scores(route, language), margin)
            rows.append([Text(printable(cell)) for cell in (*row, f"{route.ms:.1f} ms")])
    kinds, ranks = "name name name name number number", (0, 0, 4, 3, 5, 1)
    columns = columns_of(TEXTS.row("routing", language), kinds, ranks, rows)
    return fit_table(columns, width, language)


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
    places: dict[str, dict[str, None]] = {}
    order = ((("because_of" in row, row.get("started_at", "")), row) for row in rows)
    for _, row in sorted(order, key=lambda each: each[0]):
        if action := row.get("action"):
            because_of = row.get("because_of")
            cause = TEXTS("because_of", language, path=because_of) if because_of else _cause(row)
            instead = f" ({row['substitute']})" if "substitute" in row else ""
            place = f"{action_text(action, language)}{instead}  {row['path']}"
            places.setdefault(cause, {})[place] = None
    for cause, where in places.items():
        yield Text(printable(f"{', '.join(where)}  {cause}"), style="yellow")


def _cause(row: RecordRow) -> str:
    """Return the error of a row as a text. Other programs may have left it out."""
    error: object = row.get("error")  # the reader vouches for what every row has, only
    if isinstance(error, Mapping):
        return error_text(cast("Mapping[str, str]", error))
    return error_text({"message": str(row.get("reason", ""))})
