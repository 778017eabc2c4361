"""`minerva runs`: the recorded runs, newest first, or the hops of one run."""

import shlex
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, cast

from rich.console import Group, RenderableType
from rich.text import Text
from sqlalchemy import ColumnElement, Connection, select

from minerva_observability import find_run, list_runs
from minerva_observability.records import (
    ParquetReaderMissingError,
    ReadSummary,
    RecordRow,
    RunSummary,
)
from minerva_platform.cli.io.command import option_words
from minerva_platform.cli.io.console import show
from minerva_platform.cli.io.stream import one_line, printable, write_json
from minerva_platform.cli.maintenance.open_store import OpenedStore, opened_store, reader_language
from minerva_platform.cli.views.fitted_table import (
    NO_BREAK,
    Kind,
    columns_of,
    fit_table,
    note_hidden,
)
from minerva_platform.cli.views.hop_tree import CallLine, HopTree, Route, timestamp_to_ns
from minerva_platform.cli.views.hops import Look, action_text, draw_tree, error_text, mark_of
from minerva_platform.cli.views.progress import say
from minerva_platform.cli.views.stats import duration
from minerva_platform.config.settings import home_directory
from minerva_platform.errors import RunError
from minerva_platform.storage.ledger.run_row import RunHead, heads_of
from minerva_platform.storage.ledger.schema import LOCAL, runs
from minerva_platform.storage.maintenance.live_processes import find_holders
from minerva_platform.storage.server.tenant_rows import shown_id
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.views", "runs")
LAST = "last"
"""Typed instead of an id: the newest run."""
_CLOCK = "%Y-%m-%d %H:%M:%S"
_OF_LIST: Final[tuple[tuple[Kind, int], ...]] = (
    ("phrase", 0),
    ("number", 3),
    ("phrase", 0),
    ("number", 5),
    ("number", 7),
    ("number", 6),
    ("name", 1),
    ("name", 2),
    ("words", 4),
)
_OF_ROUTES: Final[tuple[tuple[Kind, int], ...]] = (
    ("name", 0),
    ("name", 0),
    ("name", 3),
    ("name", 2),
    ("number", 4),
    ("number", 1),
)
"""The kinds of the columns of both tables, and their ranks."""
_SCORES = 3
"""Scores that are shown of a decision. More are shown if more members were chosen."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """What the store knows of runs."""

    ids: frozenset[str] | None = None
    """Those of the tenant that was named; None: all."""
    heads: Mapping[str, RunHead] = field(default_factory=dict[str, RunHead])
    """Those on record that are listed, and those that are not on record yet."""
    left: frozenset[str] = frozenset()
    """Those marked `running` that no process works on."""
    words: Callable[[str], str] = str


def list_all(
    limit: int, tenant: str | None, *, as_json: bool, language: str | None, config: Path | None
) -> None:
    """Print the runs that are not on record yet, and the newest recorded ones.

    Raises:
        SettingsError: the configuration cannot be read.
        StateError: the store cannot be read.
    """
    home, spoken = home_directory(), reader_language(language)
    with opened_store(config) as store:
        kept = _Kept(_ids_of(store, tenant))
        with _readable():
            found = list_runs(home, limit=limit, run_ids=kept.ids)
        if store is not None:
            kept = _look(store, _of_list(found.runs), tenant, kept)
    recorded = {run.run_id for run in found.runs}
    new = [head for head in kept.heads.values() if head.run_id not in recorded]
    if as_json:
        write_json(
            {
                "queued": [_head_to_json(each, kept) for each in new if each.status == "queued"],
                "unrecorded": [
                    _head_to_json(each, kept) for each in new if each.status != "queued"
                ],
                "runs": [_summary_to_json(run, kept) for run in found.runs],
                "total": found.total,
                "shown": found.shown,
                "truncated": found.truncated,
                "bad_lines": found.summary.bad,
            }
        )
        return
    if not found.runs and not new:
        say(TEXTS("nothing", spoken, home=home, command=minerva_command()))
    else:
        show(lambda width: _draw_list(new[:limit], found.runs, kept, width, spoken))
    if len(new) > limit:
        say(TEXTS("queued", spoken, count=limit, total=len(new)))
    if found.truncated:
        words = option_words({"--tenant": tenant, "--limit": found.total, "--config": config})
        more = f"{minerva_command()} runs {shlex.join(words)}"
        say(TEXTS("more", spoken, count=found.shown, total=found.total, command=more))
    _tell_bad_lines(found.summary)


def _ids_of(store: OpenedStore | None, tenant: str | None) -> frozenset[str] | None:
    if tenant is None:
        return None
    mine = select(runs.c.run_id).where(runs.c.tenant == tenant)
    nobody = frozenset[str]()
    if store is None:
        return nobody
    return store.engine.read(lambda its: frozenset(its.execute(mine).scalars()), empty=nobody)


def _of_list(listed: Sequence[RunSummary]) -> ColumnElement[bool]:
    """Return what is true of the runs that a list shows, on record or not."""
    since = min(filter(None, (timestamp_to_ns(run.started_at) for run in listed)), default=0)
    later = runs.c.created >= since / 1e9
    is_open = runs.c.status.in_(("queued", "running")) | (later & (runs.c.status == "cancelled"))
    return is_open | runs.c.run_id.in_([run.run_id for run in listed])


def _look(store: OpenedStore, its: ColumnElement[bool], tenant: str | None, kept: _Kept) -> _Kept:
    """Return what the store knows of the runs of which `its` is true."""

    def work(connection: Connection) -> _Kept:
        heads = heads_of(connection, its, tenant=tenant)
        going = {each.run_id: each.thread_id for each in heads.values() if each.status == "running"}
        holders = find_holders(connection, store.engine, of_threads=going.values())
        at_work = {thread_id for thread_id, holder in holders.items() if holder.is_at_work}
        left = frozenset(run_id for run_id, thread in going.items() if thread not in at_work)
        return replace(kept, heads=heads, left=left, words=store.words)

    return store.engine.read(work, empty=kept)


def show_run(
    query: str, tenant: str | None, *, as_json: bool, language: str | None, config: Path | None
) -> None:
    """Print the tree of one run, given by its id, the beginning of an id, or `last`.

    Of one that is not on record, print what the store knows.

    Raises:
        RunError: there is none, or more than one.
    """
    home, spoken = home_directory(), reader_language(language)
    with opened_store(config) as store, _readable():
        kept = _Kept(_ids_of(store, tenant))
        found = find_run(home, _newest(kept.ids, spoken) if query == LAST else query)
        name = found.run_id or query
        if store is not None:
            kept = _look(store, runs.c.run_id.startswith(name, autoescape=True), tenant, kept)
    heads = [kept.heads[name]] if name in kept.heads else [*kept.heads.values()]
    names = {*found.candidates, *(each.run_id for each in heads)}
    if tenant is not None:
        names &= kept.ids or set()
    if len(names) != 1:
        if names:
            some = ", ".join(each[:12] for each in sorted(names)[:5])
            message = f"{len(names)} runs begin with `{query}`: {some}. Type more."
        else:
            message = (
                f"No run `{printable(query)}` is recorded in {home}. List: {minerva_command()} runs"
            )
        raise RunError(message)
    head = heads[0] if heads else None
    if as_json:
        told = {} if head is None else _head_to_json(head, kept)
        rows = list(found.rows)
        write_json({**told, "run_id": names.pop(), "rows": rows, "bad_lines": found.summary.bad})
        return
    show(lambda width: Group(*_draw_run(found.rows, head, kept, width, spoken)))
    _tell_bad_lines(found.summary)


@contextmanager
def _readable() -> Generator[None]:
    """Raise MINERVA's own error if records were compacted and DuckDB is not installed."""
    try:
        yield
    except ParquetReaderMissingError as error:
        raise RunError(str(error)) from error


def _draw_run(
    rows: Sequence[RecordRow], head: RunHead | None, kept: _Kept, width: int, language: Language
) -> Iterator[RenderableType]:
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
    kept: _Kept,
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
    line = _status(*_end_of(root, head, kept, language), language)
    return line.append("".join(f" · {one_line(each)}" for each in told if each), style="dim")


def _end_of(
    seen: RunSummary | CallLine | None, head: RunHead | None, kept: _Kept, language: Language
) -> tuple[str | None, str | None]:
    """Return a run's status and its reason: the store knows what came after the last record."""
    if head is not None and head.run_id in kept.left:
        return head.status, TEXTS("nobody_works", language)
    if seen is None or (head is not None and head.status != seen.status):
        return (head.status, head.reason) if head else (None, None)
    return seen.status, seen.reason


def _newest(ids: frozenset[str] | None, language: Language) -> str:
    newest = list_runs(home_directory(), limit=1, run_ids=ids).runs
    if not newest:
        home, command = home_directory(), minerva_command()
        raise RunError(TEXTS("nothing", language, home=home, command=command))
    return newest[0].run_id


def _head_to_json(head: RunHead, kept: _Kept) -> dict[str, Any]:
    status, reason = _end_of(None, head, kept, "en")
    return {
        "run_id": head.run_id,
        "thread_id": shown_id(head.thread_id),
        "root": head.root,
        "tenant": head.tenant,
        "requester": head.requester,
        "request": kept.words(head.request),
        "accepted": head.created,
        "status": status,
        "reason": reason,
    }


def _summary_to_json(run: RunSummary, kept: _Kept) -> dict[str, Any]:
    names = ("run_id", "thread_id", "started_at", "ms", "hops", "failures", "spans")
    head = kept.heads.get(run.run_id)
    status, reason = _end_of(run, head, kept, "en")
    told = {name: getattr(run, name) for name in names} | {"status": status, "reason": reason}
    return (_head_to_json(head, kept) if head else {}) | told


def _draw_list(
    new: Sequence[RunHead],
    recorded: Sequence[RunSummary],
    kept: _Kept,
    width: int,
    language: Language,
) -> Group:
    rows = [_list_row(head, None, kept, language) for head in new]
    rows += [_list_row(kept.heads.get(run.run_id), run, kept, language) for run in recorded]
    columns = columns_of(TEXTS.row("column", language), _OF_LIST, rows)
    table, hidden = fit_table(columns, width)
    return Group(table, *note_hidden(hidden, "--json", language))


def _list_row(
    head: RunHead | None, run: RunSummary | None, kept: _Kept, language: Language
) -> tuple[Text, ...]:
    status, reason = _end_of(run, head, kept, language)
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


def _status(status: str | None, reason: str | None, language: Language) -> Text:
    mark, colour = mark_of(status)
    word = printable(status or TEXTS("unfinished", language))
    text = Text(f"{mark} {word}", style=colour)
    return text.append(f" ({printable(reason)})") if reason else text


def _clock(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime(_CLOCK) if seconds else ""


def _local(timestamp: str | None) -> str:
    if timestamp is None:
        return ""
    try:
        return datetime.fromisoformat(timestamp).astimezone().strftime(_CLOCK)
    except ValueError:
        return printable(timestamp)


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


def _tell_bad_lines(summary: ReadSummary) -> None:
    if summary.bad:
        causes = ", ".join(f"{count} {cause}" for cause, count in summary.causes.items())
        noun = "line holds" if summary.bad == 1 else "lines hold"
        say(f"{summary.bad} {noun} no record, passed over: {causes}")
