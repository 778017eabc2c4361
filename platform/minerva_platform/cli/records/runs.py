"""`minerva runs`: the recorded runs, newest first, or the hops of one run."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from minerva_observability import find_run, list_runs
from minerva_observability.records import (
    ParquetReaderMissingError,
    ReadSummary,
    RecordRow,
    RunSummary,
)
from minerva_platform.cli.io.console import show
from minerva_platform.cli.io.stream import printable, write_json
from minerva_platform.cli.maintenance.open_store import opened_store
from minerva_platform.cli.views.hop_tree import HopTree, Route
from minerva_platform.cli.views.hops import Look, draw_tree, error_text, mark_of
from minerva_platform.cli.views.progress import ask_something, say
from minerva_platform.cli.views.stats import duration
from minerva_platform.config.settings import home_directory
from minerva_platform.errors import RunError
from minerva_platform.storage.queue.background_runs import QueuedRun, queued_runs
from minerva_platform.text.command_hint import minerva_command

LAST = "last"
"""Typed instead of an id: the newest run."""
_SCORES = 3
"""Scores that are shown of a decision. More are shown if more members were chosen."""


def list_all(limit: int, *, as_json: bool, config: Path | None) -> None:
    """Print the runs that wait in the queue, and the newest `limit` recorded ones.

    Raises:
        SettingsError: the configuration cannot be read.
        StateError: the store cannot be read.
    """
    home = home_directory()
    with opened_store(config) as store:
        queued = tuple[QueuedRun, ...]()
        if store is not None:
            queued = store.engine.read(queued_runs, empty=queued)
    with _readable():
        found = list_runs(home, limit=limit)
    if as_json:
        runs = [_summary_to_json(run) for run in found.runs]
        write_json(
            {
                "queued": [asdict(each) for each in queued],
                "runs": runs,
                "total": found.total,
                "shown": found.shown,
                "truncated": found.truncated,
                "bad_lines": found.summary.bad,
            }
        )
        return
    if not found.runs and not queued:
        say(f"Nothing is recorded in {home} yet. {ask_something()}")
    else:
        show(lambda _: _run_table(queued[:limit], found.runs))
    if len(queued) > limit:
        say(f"{limit} of {len(queued)} runs in the queue")
    if found.truncated:
        more = f"{minerva_command()} runs --limit {found.total}"
        say(f"{found.shown} of {found.total} runs; more: {more}")
    _tell_bad_lines(found.summary)


def show_run(query: str, *, as_json: bool) -> None:
    """Print the tree of one run, given by its id, the beginning of an id, or `last`.

    Raises:
        RunError: there is none, or more than one.
    """
    home = home_directory()
    with _readable():
        run_id = _newest() if query == LAST else query
        found = find_run(home, run_id)
    if found.run_id is None:
        if found.candidates:
            names = ", ".join(name[:12] for name in found.candidates[:5])
            message = f"{len(found.candidates)} runs begin with `{query}`: {names}. Type more."
        else:
            message = (
                f"No run `{printable(query)}` is recorded in {home}. List: {minerva_command()} runs"
            )
        raise RunError(message)
    if as_json:
        write_json(
            {"run_id": found.run_id, "rows": list(found.rows), "bad_lines": found.summary.bad}
        )
        return
    show(lambda width: Group(*_draw_run(found.rows, width)))
    _tell_bad_lines(found.summary)


@contextmanager
def _readable() -> Generator[None]:
    """Raise MINERVA's own error if records were compacted and DuckDB is not installed."""
    try:
        yield
    except ParquetReaderMissingError as error:
        raise RunError(str(error)) from error


def _draw_run(rows: Sequence[RecordRow], width: int) -> Iterator[RenderableType]:
    tree = HopTree.from_rows(rows)
    yield Text(printable(f"run {tree.run_id}"), style="bold")
    yield _line_of_run(tree, rows)
    yield Text("")
    yield draw_tree(tree, Look(width=width, details=True))
    yield Text("")
    yield _route_table(tree)
    if failures := list(_failures(rows)):
        yield Text("")
        yield from failures


def _line_of_run(tree: HopTree, rows: Sequence[RecordRow]) -> Text:
    """Return the run's end, its start, and its usage besides time."""
    root = tree.roots[0]
    began = next((row.get("started_at") for row in rows if row["kind"] == "run"), None)
    prompt = sum(row.get("prompt_tokens", 0) for row in rows)
    completion = sum(row.get("completion_tokens", 0) for row in rows)
    cost = sum(row.get("cost", 0.0) for row in rows)
    waited_ms = sum(row.get("waited_ms", 0.0) for row in rows)
    told = (
        f"began {_local(began)}" if began else "",
        f"{prompt:,} tokens in, {completion:,} out" if prompt or completion else "",
        f"cost {cost:,.4f}" if cost else "",
        f"persons took {duration(waited_ms)}" if waited_ms else "",
    )
    line = _status(root.status, root.reason)
    return line.append("".join(f" · {each}" for each in told if each), style="dim")


def _newest() -> str:
    newest = list_runs(home_directory(), limit=1).runs
    if not newest:
        message = f"Nothing is recorded in {home_directory()} yet. {ask_something()}"
        raise RunError(message)
    return newest[0].run_id


def _summary_to_json(run: RunSummary) -> dict[str, Any]:
    names = (
        "run_id",
        "thread_id",
        "status",
        "reason",
        "started_at",
        "ms",
        "hops",
        "failures",
        "spans",
    )
    return {name: getattr(run, name) for name in names}


def _run_table(queued_runs: Sequence[QueuedRun], runs: Sequence[RunSummary]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("run", "started", "status"):
        table.add_column(title, no_wrap=True)
    for title in ("time", "hops", "failures"):
        table.add_column(title, no_wrap=True, justify="right")
    for each in queued_runs:
        table.add_row(Text(printable(each.run_id[:8])), "", _status("queued", None), "", "", "")
    for run in runs:
        status = _status(run.status, run.reason)
        spent = "" if run.ms is None else f"{run.ms:,.0f} ms"
        run_id = Text(printable(run.run_id[:8]))
        failures = Text(str(run.failures or ""), style="yellow")
        table.add_row(run_id, _local(run.started_at), status, spent, str(run.hops), failures)
    return table


def _status(status: str | None, reason: str | None) -> Text:
    mark, colour = mark_of(status)
    text = Text(f"{mark} {printable(status or 'not finished')}", style=colour)
    return text.append(f" ({printable(reason)})") if reason else text


def _local(timestamp: str | None) -> str:
    if timestamp is None:
        return ""
    try:
        return datetime.fromisoformat(timestamp).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return printable(timestamp)


def _route_table(tree: HopTree) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("routing", "chosen", "by", "scores"):
        table.add_column(title, overflow="fold")
    table.add_column("margin", justify="right")
    table.add_column("time", justify="right", no_wrap=True)
    for hop in (hop for root in tree.roots for hop in root.walk()):
        for route in hop.routes:
            margin = "" if route.margin is None else f"{route.margin:.2f}"
            chosen = "\n".join(route.goals) or "nobody"
            if route.unserved:
                noun = "part" if route.unserved == 1 else "parts"
                chosen += f"\n({route.unserved} {noun} left out)"
            scores = _scores(route)
            row = (hop.path, chosen, route.router, scores, margin, f"{route.ms:.1f} ms")
            table.add_row(*(Text(printable(cell)) for cell in row))
    return table


def _scores(route: Route) -> str:
    """Return the best scores, one a line, and the number of others."""
    best_first = sorted(route.scores.items(), key=lambda item: -item[1])
    shown = max(_SCORES, len(route.goals) + 1)
    lines = [f"{score:5.2f} {name}" for name, score in best_first[:shown]]
    if len(best_first) > shown:
        lines.append(f"      +{len(best_first) - shown} more")
    return "\n".join(lines)


def _failures(rows: Sequence[RecordRow]) -> Iterator[Text]:
    """Yield each failure's action, place and cause. Consequences of others come last."""
    told = sorted((row for row in rows if row.get("action")), key=_order_of_failure)
    for row in told:
        because_of = row.get("because_of")
        cause = f"because of {because_of}" if because_of else error_text(_error_of(row))
        yield Text(printable(f"{row.get('action')}  {row['path']}  {cause}"), style="yellow")


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
