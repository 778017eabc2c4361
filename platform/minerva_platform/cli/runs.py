"""`minerva runs`: what was recorded, newest first, or the hops of one run."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from minerva_observability import ReadSummary, RunSummary, find_run, list_runs
from minerva_platform.cli.console import show
from minerva_platform.cli.hop_tree import HopTree, Route
from minerva_platform.cli.hop_view import Look, draw_tree, error_text, mark_of
from minerva_platform.cli.progress import say
from minerva_platform.cli.stream import printable, write_json
from minerva_platform.cli.typed import minerva_command
from minerva_platform.errors import RunError
from minerva_platform.settings import home_directory

LAST = "last"
"""Typed instead of an id: the newest run."""
_SCORES = 3
"""Scores that are shown of a decision; more if more were chosen."""


def list_recorded(limit: int, *, as_json: bool) -> None:
    """Print the newest `limit` runs."""
    home = home_directory()
    found = list_runs(home, limit=limit)
    if as_json:
        runs = [_summary_to_json(run) for run in found.runs]
        write_json(
            {
                "runs": runs,
                "total": found.total,
                "shown": found.shown,
                "truncated": found.truncated,
                "bad_lines": found.summary.bad,
            }
        )
        return
    if not found.runs:
        say(f"Nothing is recorded in {home} yet. {_ask_something()}")
    else:
        show(lambda _: _run_table(found.runs))
    if found.truncated:
        more = f"{minerva_command()} runs --limit {found.total}"
        say(f"{found.shown} of {found.total} runs; more: {more}")
    _tell_bad_lines(found.summary)


def show_run(wanted: str, *, as_json: bool) -> None:
    """Print the tree of one run, given by id, beginning of it, or `last`.

    Raises:
        RunError: there is none, or more than one.
    """
    home = home_directory()
    run_id = _newest() if wanted == LAST else wanted
    found = find_run(home, run_id)
    if found.run_id is None:
        if found.candidates:
            names = ", ".join(name[:12] for name in found.candidates[:5])
            message = f"{len(found.candidates)} runs begin with `{wanted}`: {names}. Type more."
        else:
            message = (
                f"No run `{printable(wanted)}` is recorded in {home}. "
                f"List: {minerva_command()} runs"
            )
        raise RunError(message)
    if as_json:
        write_json(
            {"run_id": found.run_id, "rows": list(found.rows), "bad_lines": found.summary.bad}
        )
        return
    tree = HopTree.from_rows(found.rows)
    show(lambda width: Group(*_draw_run(tree, width)))
    _tell_bad_lines(found.summary)


def _draw_run(tree: HopTree, width: int) -> Iterator[RenderableType]:
    yield Text(f"run {tree.run_id}\n", style="bold")
    yield draw_tree(tree, Look(width=width, details=True))
    yield Text("")
    yield _route_table(tree)
    if any(hop.action for hop in tree.by_path.values()):
        yield Text("")
        yield from _bypassed(tree)


def _newest() -> str:
    newest = list_runs(home_directory(), limit=1).runs
    if not newest:
        message = f"Nothing is recorded in {home_directory()} yet. {_ask_something()}"
        raise RunError(message)
    return newest[0].run_id


def _ask_something() -> str:
    return f'Ask something: {minerva_command()} ask "…"'


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


def _run_table(runs: tuple[RunSummary, ...]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("run", no_wrap=True)
    table.add_column("started", no_wrap=True)
    table.add_column("status", no_wrap=True)
    table.add_column("time", no_wrap=True, justify="right")
    table.add_column("hops", no_wrap=True, justify="right")
    for run in runs:
        mark, colour = mark_of(run.status)
        status = Text(f"{mark} {run.status or 'not finished'}", style=colour)
        if run.reason:
            status.append(f" ({printable(run.reason)})")
        spent = "" if run.ms is None else f"{run.ms:,.0f} ms"
        table.add_row(run.run_id[:8], _local(run.started_at), status, spent, str(run.hops))
    return table


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
            scores = _scores(route)
            table.add_row(hop.path, chosen, route.router, scores, margin, f"{route.ms:.1f} ms")
    return table


def _scores(route: Route) -> str:
    """Return the best scores, one a line; how many more there are is said."""
    best_first = sorted(route.scores.items(), key=lambda item: -item[1])
    shown = max(_SCORES, len(route.goals) + 1)
    lines = [f"{score:5.2f} {name}" for name, score in best_first[:shown]]
    if len(best_first) > shown:
        lines.append(f"      +{len(best_first) - shown} more")
    return "\n".join(lines)


def _bypassed(tree: HopTree) -> Iterator[Text]:
    for hop in tree.by_path.values():
        if hop.action is not None:
            cause = error_text(hop.error or {"message": hop.reason or ""})
            yield Text(f"{hop.action}  {hop.path}  {cause}", style="yellow")


def _tell_bad_lines(summary: ReadSummary) -> None:
    if summary.bad:
        causes = ", ".join(f"{count} {cause}" for cause, count in summary.causes.items())
        noun = "line holds" if summary.bad == 1 else "lines hold"
        say(f"{summary.bad} {noun} no record, passed over: {causes}")
