"""`minerva forget`: erases a thread, or all of a tenant, once the person has confirmed it.

It says what remains.
"""

import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from minerva_observability import read_records
from minerva_observability.records import parquet_files
from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.io.stream import one_line, write_json, write_text
from minerva_platform.cli.maintenance.commands import ForgetOptions
from minerva_platform.cli.maintenance.open_store import (
    OpenedStore,
    bytes_to_text,
    is_confirmed,
    opened_store,
    reader_language,
    show_heads,
)
from minerva_platform.cli.views.progress import say
from minerva_platform.errors import RunError
from minerva_platform.storage.engine.database_file import copies_set_aside
from minerva_platform.storage.engine.location import PostgresPlace
from minerva_platform.storage.ledger.threads import LAST, last_thread
from minerva_platform.storage.maintenance.forget import (
    ForgetPlan,
    ForgetReport,
    forget,
    plan_forget,
    plan_forget_tenant,
)
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.maintenance", "forget")

_COUNTED: Final = ("runs", "turns", "interrupts", "decisions", "effects", "run_checkpoints")


@dataclass(frozen=True, slots=True)
class Remains:
    """What this machine still holds of a thread that was erased."""

    rows: dict[Path, int]
    """How many rows of records each file has."""
    compacted_files: tuple[Path, ...]
    """Files of compacted records, which may have more."""
    copies: tuple[Path, ...]
    """Copies of the database that was set aside as damaged."""


def forget_thread(options: ForgetOptions) -> ExitCode:
    """Show what would be erased; erase it if the person says so. Return the exit code.

    Raises:
        RunError: no thread or tenant was typed; there is none, a run goes on in it, nobody
            confirmed it, or the store cannot be read or written.
    """
    language = reader_language(options.language)
    if options.thread is None and options.tenant is None:
        message = "Type which thread is to be erased, or of which tenant all: --tenant NAME."
        raise RunError(message)
    with opened_store(options.config) as store:
        plan = None if store is None else _make_plan(store, options)
        if store is None or plan is None:
            raise _no_such_thread(options)
        if not options.as_json:
            write_text("\n".join(_plan_lines(plan, language)))
            show_heads(store, sorted(plan.run_ids))
        if not options.yes and not _is_confirmed(options, plan, language):
            say(TEXTS("not_erased", language))
            return ExitCode.ANSWERED
        done = forget(store.engine, plan)
        remains = _remains(store, plan)
        if options.as_json:
            write_json(_to_json(plan, done, remains))
        else:
            on_postgres = isinstance(store.engine.place, PostgresPlace)
            lines = _done_lines(plan, done, remains, language, on_postgres=on_postgres)
            write_text("\n".join(lines))
    return ExitCode.ANSWERED


def _make_plan(store: OpenedStore, options: ForgetOptions) -> ForgetPlan | None:
    work: Callable[..., ForgetPlan | None]
    if options.tenant is not None and options.thread is None:
        work = partial(plan_forget_tenant, tenant=options.tenant)
    else:
        last = partial(last_thread, store.engine, tenant=options.tenant)
        thread_id = last() if options.thread == LAST else options.thread
        if thread_id is None:
            return None
        work = partial(plan_forget, thread_id=thread_id, tenant=options.tenant)
    used_elsewhere = store.digests_elsewhere()
    work = partial(work, engine=store.engine, place=store.artifacts, used_elsewhere=used_elsewhere)
    return store.engine.read(work, empty=None)


def _no_such_thread(options: ForgetOptions) -> RunError:
    if options.tenant is not None and options.thread is None:
        message = (
            f"The tenant `{one_line(options.tenant)}` has nothing here, so nothing was erased."
        )
        return RunError(message)
    return RunError(
        f"There is no thread `{one_line(options.thread or '')}` in this store, so nothing was "
        "erased. See the threads of your runs (`thread_id`): "
        f"{minerva_command()} runs --json"
    )


def _name(plan: ForgetPlan) -> str:
    return one_line(plan.tenant or plan.thread_id or "")


def _key(key: str, plan: ForgetPlan) -> str:
    """Return the key of a sentence about a thread, or of that about a tenant."""
    return f"tenant.{key}" if plan.tenant is not None else key


def _is_confirmed(options: ForgetOptions, plan: ForgetPlan, language: Language) -> bool:
    """True if the person at the terminal says yes.

    Raises:
        RunError: nobody sits there.
    """
    question = TEXTS(_key("question", plan), language, thread=_name(plan))
    said = None if options.as_json else is_confirmed(question)
    if said is None:
        thread = plan.thread_id if options.thread == LAST else options.thread
        which = [
            *([thread] if thread else []),
            *(["--tenant", options.tenant] if options.tenant else []),
        ]
        message = (
            "Nothing was erased, because nobody confirmed it. To erase it, type: "
            f"{minerva_command()} {shlex.join(['forget', *which])} --yes"
        )
        raise RunError(message)
    return said


def _plan_lines(plan: ForgetPlan, language: Language) -> Iterator[str]:
    counts = {name: plan.rows.get(name, 0) for name in _COUNTED}
    if plan.unfinished_runs:
        yield TEXTS("unfinished", language, count=plan.unfinished_runs)
    yield TEXTS(_key("thread", plan), language, thread=_name(plan), **counts)
    if plan.files:
        size = bytes_to_text(sum(file.size for file in plan.files))
        yield TEXTS("artifacts", language, count=len(plan.files), size=size)


def _done_lines(
    plan: ForgetPlan, done: ForgetReport, remains: Remains, language: Language, *, on_postgres: bool
) -> Iterator[str]:
    yield TEXTS(_key("gone", plan), language, thread=_name(plan), count=done.files)
    if on_postgres:
        yield TEXTS("postgres", language)
    for file, count in remains.rows.items():
        yield TEXTS("records", language, count=count, file=file)
    if remains.compacted_files:
        yield TEXTS("compacted", language, folder=remains.compacted_files[0].parent)
    for copy in remains.copies:
        yield TEXTS("copy", language, file=copy)
    yield TEXTS("elsewhere", language)


def _remains(store: OpenedStore, plan: ForgetPlan) -> Remains:
    reader, rows = read_records(store.home), Counter[Path]()
    for row in reader:
        if row.get("thread_id") in plan.threads or row["run_id"] in plan.run_ids:
            rows[reader.file] += 1
    place = store.engine.place
    copies = copies_set_aside(place) if isinstance(place, Path) else ()
    return Remains(dict(rows), tuple(parquet_files(store.home)), tuple(copies))


def _to_json(plan: ForgetPlan, done: ForgetReport, remains: Remains) -> dict[str, Any]:
    return {
        "thread_id": plan.thread_id,
        "tenant": plan.tenant,
        "erased": {"rows": dict(plan.rows), "artifacts": done.files},
        "remains": {
            "records": {str(file): count for file, count in remains.rows.items()},
            "compacted_records": [str(file) for file in remains.compacted_files],
            "damaged_copies": [str(file) for file in remains.copies],
        },
    }
