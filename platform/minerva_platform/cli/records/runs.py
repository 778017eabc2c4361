"""`minerva runs`: the recorded runs, newest first, or the hops of one run."""

import shlex
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from rich.console import Group
from sqlalchemy import ColumnElement, Connection, select

from minerva_observability import find_run, list_runs
from minerva_observability.records import ParquetReaderMissingError, ReadSummary, RunSummary
from minerva_observability.tracing import mask_text
from minerva_platform.cli.io.command import option_words
from minerva_platform.cli.io.console import show
from minerva_platform.cli.io.options import RunsOptions
from minerva_platform.cli.io.stream import printable, write_json
from minerva_platform.cli.maintenance.open_store import OpenedStore, opened_store, reader_language
from minerva_platform.cli.records.commands import ShowRunOptions
from minerva_platform.cli.views.hop_tree import timestamp_to_ns
from minerva_platform.cli.views.progress import say
from minerva_platform.cli.views.runs import TEXTS, StoreView, draw_list, draw_run, end_of
from minerva_platform.config.settings import home_directory
from minerva_platform.errors import RunError
from minerva_platform.storage.ledger.lease import find_holders
from minerva_platform.storage.ledger.run_row import RunHead, heads_of, latest_run
from minerva_platform.storage.ledger.schema import runs
from minerva_platform.storage.maintenance.examination.runs import find_resumable
from minerva_platform.storage.server.tenant_rows import shown_id
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language

LAST = "last"
"""Typed instead of an id: the run that was accepted last, or recorded last if none is kept."""


def list_all(options: RunsOptions) -> None:
    """Print the runs that are not on record yet, and the newest recorded ones.

    Raises:
        SettingsError: the configuration cannot be read.
        StateError: the store cannot be read.
    """
    home, lang = home_directory(), reader_language(options.language)
    with opened_store(options.config) as store:
        view = StoreView(_ids_of(store, options.tenant))
        with _readable():
            found = list_runs(home, limit=options.limit, run_ids=view.ids)
        if store is not None:
            view = _look(store, _of_list(found.runs), options.tenant, view)
    on_record = {run.run_id for run in found.runs}
    new = [head for head in view.heads.values() if head.run_id not in on_record]
    if options.as_json:
        rows = {head: _head_to_json(head, view) for head in view.heads.values()}
        write_json(
            {
                "queued": [row for head, row in rows.items() if _is_queued(head, view)],
                "unrecorded": [rows[head] for head in new if not _is_queued(head, view)],
                "runs": [_summary_to_json(run, view) for run in found.runs],
                "total": found.total,
                "shown": found.shown,
                "truncated": found.truncated,
                "bad_lines": found.summary.bad,
            }
        )
        return
    if not found.runs and not new:
        say(TEXTS("nothing", lang, home=home, command=minerva_command()))
    else:
        show(lambda width: draw_list(new[: options.limit], found.runs, view, width, lang))
    if len(new) > options.limit:
        say(TEXTS("queued", lang, count=options.limit, total=len(new)))
    if found.truncated:
        words = option_words({"--tenant": options.tenant, "--limit": found.total})
        more = f"{minerva_command()} runs {shlex.join(words)}"
        say(TEXTS("more", lang, count=found.shown, total=found.total, command=more))
    _tell_bad_lines(found.summary)


def _ids_of(store: OpenedStore | None, tenant: str | None) -> frozenset[str] | None:
    nobody = frozenset[str]()
    if tenant is None or store is None:
        return None if tenant is None else nobody
    mine = select(runs.c.run_id).where(runs.c.tenant == tenant)
    return store.engine.read(lambda its: frozenset(its.execute(mine).scalars()), empty=nobody)


def _of_list(summaries: Sequence[RunSummary]) -> ColumnElement[bool]:
    """Return what is true of the runs that a list shows, on record or not."""
    since = min(filter(None, (timestamp_to_ns(run.started_at) for run in summaries)), default=0)
    later = runs.c.created >= since / 1e9
    is_open = runs.c.status.in_(("queued", "running")) | (later & (runs.c.status == "cancelled"))
    return is_open | runs.c.run_id.in_([run.run_id for run in summaries])


def _look(
    store: OpenedStore, its: ColumnElement[bool], tenant: str | None, view: StoreView
) -> StoreView:
    """Return what the store knows of the runs of which `its` is true."""

    def work(connection: Connection) -> StoreView:
        heads = heads_of(connection, its, tenant=tenant)
        going = {each.run_id: each.thread_id for each in heads.values() if each.status == "running"}
        holders = find_holders(connection, store.engine, of_threads=going.values())
        at_work = {thread_id for thread_id, holder in holders.items() if holder.is_at_work}
        orphans = {run_id for run_id, thread_id in going.items() if thread_id not in at_work}
        orphans.update(find_resumable(connection, store.engine))
        return replace(view, heads=heads, orphans=frozenset(orphans), words=store.words)

    return store.engine.read(work, empty=view)


def show_run(options: ShowRunOptions) -> None:
    """Print the tree of one run, given by its id, the beginning of an id, or `last`.

    Of one that is not on record, print what the store knows.

    Raises:
        RunError: there is none, or more than one.
    """
    home, lang, query = home_directory(), reader_language(options.language), options.run
    with opened_store(options.config) as store, _readable():
        view = StoreView(_ids_of(store, options.tenant))
        name = query
        if query == LAST:
            latest = partial(latest_run, tenant=options.tenant)
            name = (store and store.engine.read(latest, empty=None)) or _newest(view.ids, lang)
        found = find_run(home, name)
        if store is not None:
            begins = runs.c.run_id.startswith(name, autoescape=True)
            view = _look(store, begins, options.tenant, view)
    heads = [view.heads[name]] if name in view.heads else [*view.heads.values()]
    names = {*found.candidates, *(each.run_id for each in heads)}
    if options.tenant is not None:
        names &= view.ids or set()
    if len(names) != 1:
        if names:
            some = ", ".join(each[:12] for each in sorted(names)[:5])
            message = f"{len(names)} runs begin with `{query}`: {some}. Type more."
        else:
            command = f"{minerva_command()} runs"
            message = f"No run `{printable(query)}` is recorded in {home}. List: {command}"
        raise RunError(message)
    head = heads[0] if heads else None
    if options.as_json:
        told = {} if head is None else _head_to_json(head, view)
        rows = list(found.rows)
        write_json({**told, "run_id": names.pop(), "rows": rows, "bad_lines": found.summary.bad})
        return
    show(lambda width: Group(*draw_run(found.rows, head, view, width, lang)))
    _tell_bad_lines(found.summary)


@contextmanager
def _readable() -> Generator[None]:
    """Raise MINERVA's own error if records were compacted and DuckDB is not installed."""
    try:
        yield
    except ParquetReaderMissingError as error:
        raise RunError(str(error)) from error


def _newest(ids: frozenset[str] | None, language: Language) -> str:
    newest = list_runs(home_directory(), limit=1, run_ids=ids).runs
    if not newest:
        home, command = home_directory(), minerva_command()
        raise RunError(TEXTS("nothing", language, home=home, command=command))
    return newest[0].run_id


def _is_queued(head: RunHead, view: StoreView) -> bool:
    return head.status == "queued" and head.run_id not in view.orphans


def _head_to_json(head: RunHead, view: StoreView, run: RunSummary | None = None) -> dict[str, Any]:
    return {
        "run_id": head.run_id,
        "thread_id": mask_text(shown_id(head.thread_id)),
        "root": head.root,
        "tenant": head.tenant,
        "requester": head.requester,
        "request": view.words(head.request),
        "accepted": head.created,
        "status": head.status,
        "reason": head.reason if head.cancelled_by else end_of(run, head, view, "en")[1],
        "cancelled_by": head.cancelled_by,
        "ended": head.ended_at,
    }


def _summary_to_json(run: RunSummary, view: StoreView) -> dict[str, Any]:
    names = ("run_id", "thread_id", "started_at", "ms", "hops", "failures", "spans")
    head = view.heads.get(run.run_id)
    row = _head_to_json(head, view, run) if head else {"status": run.status, "reason": run.reason}
    return {**row, **{name: getattr(run, name) for name in names}}


def _tell_bad_lines(summary: ReadSummary) -> None:
    if summary.bad:
        causes = ", ".join(f"{count} {cause}" for cause, count in summary.causes.items())
        noun = "line holds" if summary.bad == 1 else "lines hold"
        say(f"{summary.bad} {noun} no record, passed over: {causes}")
