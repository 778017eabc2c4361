"""Find the question that a person named: by its run, and by its own id if the run asks several."""

from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from minerva_platform.cli.decide.question_text import TEXTS, Asking, CommandOptions, to_name
from minerva_platform.cli.io.escape import harmless
from minerva_platform.cli.maintenance.open_store import opened_store, reader_language
from minerva_platform.cli.views.progress import say
from minerva_platform.contract.run_object import Interrupt
from minerva_platform.errors import DecisionError, RunError, UnknownInterruptError, UnknownRunError
from minerva_platform.storage.ledger.decisions import lost
from minerva_platform.storage.ledger.ledger import Ledger, NamedRun
from minerva_platform.storage.ledger.run_row import latest_run
from minerva_platform.storage.ledger.schema import LOCAL
from minerva_platform.storage.ledger.threads import LAST
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language


@contextmanager
def opened_run(
    config: Path | None,
    name: str,
    language: str | None = None,
    *,
    tenant: str | None = None,
    may_be_last: bool = False,
) -> Generator[tuple[Ledger, NamedRun]]:
    """Give the ledger, and the run in it that a person named by its id or the beginning of it.

    It may be of any tenant, whose name is said, or of `tenant` alone. With `may_be_last`, `last`
    names the one of these runs that was accepted last.

    Raises:
        UnknownRunError: there is none.
        RunError: several begin so, or the store cannot be read.
    """
    with opened_store(config) as store:
        if store is None:
            raise UnknownRunError(harmless(name))
        if may_be_last and name == LAST:
            name = store.engine.read(partial(latest_run, tenant=tenant), empty=None) or name
        ledger = Ledger(store.engine, store.artifacts)
        run = ledger.find_named(name, tenant=tenant)
        if run.head.tenant != LOCAL:
            whose = {"run": run.head.run_id, "tenant": run.head.tenant}
            say(TEXTS("of_tenant", reader_language(language), **whose))
        yield ledger, run


def as_asking(named_run: NamedRun, question: Interrupt, options: CommandOptions) -> Asking:
    """Return `question` as one that a run asks."""
    is_alone = len(named_run.waiting) == 1
    return Asking(named_run.head.run_id, question, is_alone=is_alone, options=options)


def pick(named_run: NamedRun, name: str | None) -> Interrupt:
    """Return the open question that a person named, or the only one.

    Raises:
        DecisionError: it is decided already, or the run asks no such question.
        RunError: the id was left out, and there is not one question only; or several begin so.
    """
    if name is None:
        return _only(named_run)
    exact = [each for each in named_run.waiting if each.id == name]
    begins = exact or [each for each in named_run.waiting if each.id.startswith(name)]
    if len(begins) == 1:
        return begins[0]
    if begins:
        ids = ", ".join(each.id for each in begins)
        message = f"{len(begins)} questions begin with `{name}`: {ids}. Type more."
        raise RunError(message)
    for each in named_run.decisions.values():
        if each.interrupt_id.startswith(name):
            raise lost(named_run.head.run_id, each)
    run_id = named_run.head.run_id
    told = ", ".join(each.id for each in named_run.waiting) or "nothing"
    reason = f"the run asks no such question. It waits for: {told}."
    others = {run for each, run in named_run.elsewhere.items() if each.startswith(name)}
    if len(others) == 1:
        reason += f" Run `{others.pop()}` asks it."
    raise UnknownInterruptError(run_id, harmless(name), reason)


def _only(named_run: NamedRun) -> Interrupt:
    run_id = named_run.head.run_id
    if len(named_run.waiting) == 1:
        return named_run.waiting[0]
    if named_run.waiting:
        lines = "\n".join(
            f"  {each.id}  {harmless(each.path)}  {to_name(each.tool or each.text)}"
            for each in named_run.waiting
        )
        message = (
            f"Run `{run_id}` asks {len(named_run.waiting)} questions. Type the id of one after the "
            f"run's, and look at it first: {minerva_command()} waiting show {run_id} ID\n{lines}"
        )
        raise RunError(message)
    if named_run.decisions:
        raise lost(run_id, max(named_run.decisions.values(), key=lambda each: each.at))
    message = (
        f"Run `{run_id}` asks nothing (`{named_run.head.status}`). "
        f"See which runs wait: {minerva_command()} waiting"
    )
    raise RunError(message)


def in_language(error: DecisionError, language: Language) -> DecisionError:
    """Return `error` with its Korean sentence as its text, if the person reads Korean."""
    if language == "ko" and error.korean:
        error.args = (error.korean,)
    return error
