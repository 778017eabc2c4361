"""Find the question that a person named: by its run, and by its own id if the run asks several."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from minerva_platform.cli.decide.question_text import Asking, Carried, to_name
from minerva_platform.cli.io.escape import harmless
from minerva_platform.cli.maintenance.open_store import OpenedStore
from minerva_platform.contract.run_object import Interrupt
from minerva_platform.errors import (
    DecisionError,
    RunError,
    UnknownInterruptError,
    UnknownRunError,
)
from minerva_platform.storage.engine.location import Place
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.questions import Decided, decided, lost, open_questions
from minerva_platform.storage.ledger.run_row import RunHead, named_run
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language


@dataclass(frozen=True, slots=True)
class FoundRun:
    """A run, the questions that it waits with, and what was decided in it."""

    head: RunHead
    waiting: tuple[Interrupt, ...]
    decided: Mapping[str, Decided]
    elsewhere: Mapping[str, str]
    """The open questions of other runs, with the runs that ask them."""

    def asking(self, question: Interrupt, carried: Carried) -> Asking:
        """Return `question` as one of this run."""
        return Asking(self.head.run_id, question, is_alone=len(self.waiting) == 1, carried=carried)


def find_run(store: OpenedStore | None, name: str) -> FoundRun:
    """Return the run that a person named by its id or by the beginning of it.

    Raises:
        UnknownRunError: there is none.
        RunError: several begin so, or the store cannot be read.
    """
    if store is None:
        raise UnknownRunError(harmless(name))

    def work(connection: Connection) -> FoundRun | None:
        head = named_run(connection, name)
        waiting = open_questions(connection)
        mine = tuple(each.interrupt for each in waiting if each.run_id == head.run_id)
        others = {each.interrupt.id: each.run_id for each in waiting if each.run_id != head.run_id}
        return FoundRun(head, mine, decided(connection, head.run_id), others)

    found = store.engine.read(work, empty=None)
    if found is None:
        raise UnknownRunError(harmless(name))
    return found


def waiting_in_thread(place: Place, thread_id: str) -> tuple[str, ...]:
    """Return the runs of a thread that wait for a person, the longest waiting first.

    Raises:
        StateError: the database is held by others, damaged or cannot be used.
    """

    def work(connection: Connection) -> tuple[str, ...]:
        waiting = open_questions(connection)
        runs = (each.run_id for each in waiting if each.thread_id == thread_id)
        return tuple(dict.fromkeys(runs))

    with opened_engine(place) as engine:
        return engine.read(work, empty=())


def pick(found: FoundRun, name: str | None) -> Interrupt:
    """Return the open question that a person named, or the only one.

    Raises:
        DecisionError: it is decided already, or the run asks no such question.
        RunError: the id was left out, and there is not one question only; or several begin so.
    """
    if name is None:
        return _only(found)
    exact = [each for each in found.waiting if each.id == name]
    begins = exact or [each for each in found.waiting if each.id.startswith(name)]
    if len(begins) == 1:
        return begins[0]
    if begins:
        ids = ", ".join(each.id for each in begins)
        message = f"{len(begins)} questions begin with `{name}`: {ids}. Type more."
        raise RunError(message)
    for each in found.decided.values():
        if each.interrupt_id.startswith(name):
            raise lost(found.head.run_id, each)
    run_id = found.head.run_id
    told = ", ".join(each.id for each in found.waiting) or "nothing"
    reason = f"the run asks no such question. It waits for: {told}."
    others = {run for each, run in found.elsewhere.items() if each.startswith(name)}
    if len(others) == 1:
        reason += f" Run `{others.pop()}` asks it."
    raise UnknownInterruptError(run_id, harmless(name), reason)


def _only(found: FoundRun) -> Interrupt:
    run_id = found.head.run_id
    if len(found.waiting) == 1:
        return found.waiting[0]
    if found.waiting:
        lines = "\n".join(
            f"  {each.id}  {harmless(each.path)}  {to_name(each.tool or each.text)}"
            for each in found.waiting
        )
        message = (
            f"Run `{run_id}` asks {len(found.waiting)} questions. Type the id of one after the "
            f"run's, and look at it first: {minerva_command()} waiting show {run_id} ID\n{lines}"
        )
        raise RunError(message)
    if found.decided:
        raise lost(run_id, max(found.decided.values(), key=lambda each: each.at))
    message = (
        f"Run `{run_id}` asks nothing (`{found.head.status}`). "
        f"See which runs wait: {minerva_command()} waiting"
    )
    raise RunError(message)


def in_language(error: DecisionError, language: Language) -> DecisionError:
    """Return `error` with its Korean sentence as its text, if the person reads Korean."""
    if language == "ko" and error.korean:
        error.args = (error.korean,)
    return error
