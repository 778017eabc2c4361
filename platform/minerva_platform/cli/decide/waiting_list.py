"""`minerva waiting`: the questions of all threads that wait for a person, and one of them whole."""

import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rich.console import Group
from rich.text import Text
from sqlalchemy import Connection

from minerva_platform.cli.decide.commands import ShowOptions, WaitingOptions
from minerva_platform.cli.decide.pick import as_asking, opened_run, pick
from minerva_platform.cli.decide.question_text import (
    MAX_VALUE_CHARACTERS,
    Asking,
    CommandOptions,
    to_name,
)
from minerva_platform.cli.decide.question_view import command_lines, question_lines, show_lines
from minerva_platform.cli.io.console import show
from minerva_platform.cli.io.escape import harmless
from minerva_platform.cli.io.stream import is_terminal, one_line, write_json, write_text
from minerva_platform.cli.maintenance.open_store import OpenedStore, opened_store, reader_language
from minerva_platform.cli.views.fitted_table import columns_of, fit_table
from minerva_platform.cli.views.progress import say
from minerva_platform.storage.ledger.questions import OpenQuestion, open_questions
from minerva_platform.storage.ledger.run_row import heads_of
from minerva_platform.storage.ledger.schema import LOCAL, runs
from minerva_platform.storage.maintenance.examination.runs import find_resumable
from minerva_platform.storage.server.tenant_rows import shown_id
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language
from minerva_platform.text.markdown import escaped, markdown_table
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.decide", "waiting")

_SHOWN = 8
"""Characters of an id at a terminal; commands take the beginning of one."""
_MAX_RESUMABLE = 5
"""Runs that were cut off, each named with its command."""
_Open = tuple[tuple[OpenQuestion, ...], tuple[str, ...]]
_UNITS = (("days", 86_400), ("hours", 3_600), ("minutes", 60), ("seconds", 1))


def list_waiting(options: WaitingOptions) -> None:
    """Print the open questions of a tenant or of all, and what waits for `minerva resume`.

    The oldest one comes first.

    Raises:
        RunError: the store cannot be read.
        SettingsError: the configuration cannot be read.
    """
    spoken, now = reader_language(options.language), time.time()
    with opened_store(options.config) as store:
        waiting, resumable = ((), ()) if store is None else _read_open(store, options.tenant)
    if options.as_json:
        questions = [_to_json(each, now) for each in waiting]
        write_json({"questions": questions, "total": len(waiting), "cut_off": list(resumable)})
        return
    own = CommandOptions(options.config, options.language)
    if waiting:
        _show_list(waiting, now, spoken, own)
    else:
        say(TEXTS("none", spoken))
    words = shlex.join(own.words(is_decision=True))
    for run_id in resumable[:_MAX_RESUMABLE]:
        command = f"{minerva_command()} resume {run_id} {words}".rstrip()
        say(TEXTS("cut_off", spoken, command=command))
    more = len(resumable) - _MAX_RESUMABLE
    if more > 0:
        say(TEXTS("more_cut_off", spoken, count=more, command=f"{minerva_command()} doctor"))


def _read_open(store: OpenedStore, tenant: str | None) -> _Open:
    """Return the open questions, and the runs that go on by `minerva resume` alone."""

    def look(connection: Connection) -> _Open:
        waiting = open_questions(connection, tenant=tenant)
        shown = (replace(each, request=store.words(each.request)) for each in waiting)
        resumable = find_resumable(connection, store.engine)
        if tenant is not None:
            mine = heads_of(connection, runs.c.run_id.in_(resumable), tenant=tenant)
            resumable = tuple(run_id for run_id in resumable if run_id in mine)
        return tuple(shown), resumable

    nothing: _Open = (), ()
    return store.engine.read(look, empty=nothing)


def _show_list(
    waiting: Sequence[OpenQuestion], now: float, language: Language, options: CommandOptions
) -> None:
    if is_terminal(sys.stdout):
        show(lambda width: draw_waiting(waiting, now, width, language))
    else:
        rows = [list(map(escaped, _cells(each, now, language))) for each in waiting]
        write_text(markdown_table(TEXTS.row("header", language), rows))
    oldest = waiting[0]
    first = Asking(oldest.run_id, oldest.interrupt, is_alone=False, options=options)
    say(TEXTS("look", language, command=first.show_command))
    if count := sum(each.rests for each in waiting):
        say(TEXTS("rest", language, count=count))


def show_waiting(options: ShowOptions) -> None:
    """Print all of the questions that a run waits with, or one of them.

    Raises:
        DecisionError: the named question does not wait.
        RunError: there is no such run, or it asks nothing.
    """
    spoken = reader_language(options.language)
    with opened_run(options.config, options.run, options.language) as (_, named):
        rests = named.head.of_original
    several = options.question is None and len(named.waiting) > 1
    asked = named.waiting if several else (pick(named, options.question),)
    if options.as_json:
        run_id = named.head.run_id
        head = {"run_id": run_id, "tenant": named.head.tenant, "rests": rests}
        questions = [{**head, **each.model_dump(mode="json")} for each in asked]
        write_json({"questions": questions, "total": len(questions)})
        return
    own = CommandOptions(options.config, options.language)
    for each in asked:
        asking = as_asking(named, each, own)
        whole = question_lines(asking, spoken, whole=True)
        show_lines([*whole, *([] if rests else command_lines(asking, spoken))])
    if rests:
        say(TEXTS("rest", spoken, count=len(asked)))


def _cells(each: OpenQuestion, now: float, language: Language) -> list[str]:
    """Return a row: age, run, id, worker and tenant, question, expiry, who asked for what."""
    question = each.interrupt
    of = "" if each.tenant == LOCAL else f" ({each.tenant})"
    expiry = _expiry(question.expires_at, now, language)
    return [
        _span(now - question.asked, language),
        each.run_id,
        question.id,
        harmless(f"{question.path}{of}"),
        _describe_question(each, language),
        TEXTS("rests", language) if each.rests else expiry,
        harmless(each.requester or ""),
        one_line(each.request),
    ]


def _describe_question(each: OpenQuestion, language: Language) -> str:
    question = each.interrupt
    if question.kind == "effect":
        return TEXTS("happened", language, tool=to_name(question.tool or "-"))
    return to_name(question.tool or question.text[:MAX_VALUE_CHARACTERS] or question.kind)


def _expiry(expires_at: float | None, now: float, language: Language) -> str:
    if expires_at is None:
        return TEXTS("never", language)
    if expires_at <= now:
        return TEXTS("expired", language)
    return TEXTS("in", language, span=_span(expires_at - now, language))


def _span(seconds: float, language: Language) -> str:
    """Return seconds as people say them, in the largest unit of which there is one."""
    for name, size in _UNITS:
        if seconds >= size:
            return TEXTS(name, language, count=int(seconds // size))
    return TEXTS("seconds", language, count=0)


def draw_waiting(
    waiting: Sequence[OpenQuestion], now: float, width: int, language: Language
) -> Group:
    """Return the table of questions, for `width` columns."""
    rows: list[list[Text]] = []
    for each in waiting:
        age, run_id, question_id, *others = _cells(each, now, language)
        cells = (age, run_id[:_SHOWN], question_id[:_SHOWN], *others)
        rows.append([*map(Text, cells)])
    kinds, ranks = "phrase phrase phrase name words phrase name words", (0, 0, 4, 0, 0, 3, 2, 1)
    columns = columns_of(TEXTS.row("header", language), kinds, ranks, rows)
    return fit_table(columns, width, language)


def _to_json(each: OpenQuestion, now: float) -> dict[str, Any]:
    return {
        "run_id": each.run_id,
        "thread_id": shown_id(each.thread_id),
        "tenant": each.tenant,
        "rests": each.rests,
        "root": each.root,
        "requester": each.requester,
        "request": each.request,
        "age_s": round(max(now - each.interrupt.asked, 0.0), 1),
        **each.interrupt.model_dump(mode="json"),
    }
