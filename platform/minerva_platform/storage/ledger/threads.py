"""The turns of threads, kept by the platform. Members have no memory of their own.

The turns lie in the ledger. A follow-up finds there what it refers to: the earlier words, their
files and the hand-offs.
"""

import json
import logging
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar

from pydantic import ValidationError
from sqlalchemy import Connection, func, select, true

from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.task import Turn
from minerva_platform.contract.values import Effect
from minerva_platform.errors import RunError
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.location import Place
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.questions import OpenQuestion, open_questions
from minerva_platform.storage.ledger.schema import LOCAL, owned_runs, runs, threads, turns
from minerva_platform.storage.ledger.turn import KeptTurn

LAST = "last"
"""Typed instead of a thread's id. It means the thread with the latest turn."""

MAX_CONVERSATION = 200_000
"""Characters of earlier turns that a member may be given. Older turns are left out."""

_LOG = logging.getLogger(__name__)

TurnT = TypeVar("TurnT", bound=Turn)


class _Row(NamedTuple):
    """A turn's row, with what is known of its run."""

    number: int
    text: str | None
    """The turn; None if the run came to none."""
    root: str = ""
    """The platform, or a team that was asked alone."""
    status: str = ""
    run_id: str = ""
    task: str = ""

    def to_json(self) -> str:
        """Return the turn as it is kept, or as it is without an answer; empty if damaged."""
        if self.text is not None:
            return self.text
        try:
            task: dict[str, Any] = json.loads(self.task)
        except ValueError:  # `minerva doctor` names it
            return ""
        request = task.get("context") or task.get("request", "")
        run = {"run_id": self.run_id, "status": self.status, "root": self.root}
        words = {"request": request, "answer": "", "topic": request}
        return json.dumps({**words, **run, "attachments": task.get("attachments", ())})


_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_AFTER_ALL: Final = 2**31 - 1
"""The largest number that a turn can have."""


def last_thread(database: Place | Engine, *, tenant: str | None = LOCAL) -> str | None:
    """Return the id of the thread with the latest turn, of a tenant or of all; or None.

    Raises:
        StateError: the database is held by others, damaged or cannot be used.
    """
    query = (
        select(turns.c.thread_id)
        .join_from(turns, threads, threads.c.thread_id == turns.c.thread_id)
        .where(turns.c.turn.is_not(None))
        .where(true() if tenant is None else threads.c.tenant == tenant)
        .where(turns.c.thread_id.not_in(select(owned_runs.c.run_id)))
    )
    newest = query.order_by(turns.c.place.desc()).limit(1)
    with _opened(database) as engine:
        return engine.read(lambda connection: connection.execute(newest).scalar(), empty=None)


class Conversation:
    """The turns of one thread, oldest first; only `OpenRun` adds to them.

    The database is open, or opened for each operation. The thread may have no turns yet.

    With `roots`, only the turns of runs of these are read. Of others, who may ask these alone gets
    hand-offs, and no words and no files.
    """

    def __init__(
        self,
        database: Place | Engine,
        thread_id: str,
        *,
        before: int | None = None,
        roots: frozenset[str] | None = None,
        tenant: str = LOCAL,
    ) -> None:
        self.database, self.thread_id, self.roots = database, thread_id, roots
        self.tenant = tenant
        """Whose questions are asked about."""
        self._before = _AFTER_ALL if before is None else before
        """The number of the turn that is asked about: a run that goes on sees no later ones."""

    def latest(self) -> KeptTurn | None:
        """Return the latest turn that can be read, if there is one.

        Raises:
            StateError: the database is held by others, damaged or cannot be used.
        """
        return next(self.newest_first(), None)

    def of_run(self, run_id: str | None) -> KeptTurn | None:
        """Return the turn of a run, if it is there and can be read."""
        if run_id is None:
            return None
        mine = select(turns.c.turn).where(turns.c.run_id == run_id)
        with _opened(self.database) as engine:
            text = engine.read(lambda connection: connection.execute(mine).scalar(), empty=None)
        return self._parse(KeptTurn, _Row(0, text or ""))

    def open_questions(self, root: str | None = None) -> tuple[OpenQuestion, ...]:
        """Return what waits for a person in this thread, asked by runs of `root`; None: by any.

        A run that goes on gets none: its own words were understood before.
        """
        if self._before != _AFTER_ALL:
            return ()
        work = partial(open_questions, thread_id=self.thread_id, tenant=self.tenant)
        with _opened(self.database) as engine:
            found = engine.read(work, empty=tuple[OpenQuestion, ...]())
        return tuple(each for each in found if root in {None, each.root})

    def effects(self) -> tuple[Effect, ...]:
        """Return what the turns of this thread have done to the world, the latest effect last."""
        from minerva_platform.storage.ledger.effects import effects_of_thread  # noqa: PLC0415  # it knows the journal

        work = partial(effects_of_thread, thread_id=self.thread_id)
        with _opened(self.database) as engine:
            found = engine.read(work, empty=tuple[Effect, ...]())
        roots = self.roots
        return tuple(each for each in found if roots is None or each.path.split("/")[0] in roots)

    def near(self, count: int) -> tuple[KeptTurn, ...]:
        """Return the last turns, the latest one first, with those that came to no answer."""
        read = (self._parse(KeptTurn, row) for row in islice(self._in_sight(), count))
        return tuple(turn for turn in read if turn is not None)

    def newest_first(self) -> Iterator[KeptTurn]:
        """Yield the turns that can be read, the latest one first."""
        return (turn for _, turn in self._answered_turns(KeptTurn))

    def handed_over(self) -> Handoffs:
        """Return the hand-offs of the thread's latest turn, if it is one of other roots."""
        row = next((row for row in self._rows() if row.text is not None), None)
        if self.roots is None or row is None or row.root in self.roots:
            return {}
        latest = self._parse(KeptTurn, row)
        return latest.handoffs if latest is not None else {}

    def turns(self) -> tuple[Turn, ...]:
        """Return requests and answers, as far back as `MAX_CONVERSATION` characters reach."""
        return tuple(self.turns_by_number().values())

    def turns_by_number(self) -> dict[int, Turn]:
        """Return what `turns` does, by the numbers of the turns."""
        found: dict[int, Turn] = {}
        room = MAX_CONVERSATION
        for number, turn in self._answered_turns(Turn):
            room -= len(turn.request) + len(turn.answer)
            if room < 0:
                break
            found[number] = turn
        return dict(reversed(found.items()))

    def _parse(self, model: type[TurnT], row: _Row) -> TurnT | None:
        """Return the turn of a row; None if it is one of another version, or a damaged one.

        One that waited for a person when it was kept may have been cancelled since.
        """
        try:
            turn = model.model_validate_json(row.to_json())
        except ValidationError as error:
            _LOG.warning("a turn of %s cannot be read: %s", self.thread_id, error)
            return None
        is_cancelled = row.status == "cancelled" and isinstance(turn, KeptTurn)
        return turn.model_copy(update={"status": row.status}) if is_cancelled else turn

    def _answered_turns(self, model: type[TurnT]) -> Iterator[tuple[int, TurnT]]:
        for row in self._in_sight():
            if row.text is not None and (turn := self._parse(model, row)) is not None:
                yield row.number, turn

    def _in_sight(self) -> Iterator[_Row]:
        """Yield the rows that may be read, the latest first."""
        return (row for row in self._rows() if self.roots is None or row.root in self.roots)

    def _rows(self) -> Iterator[_Row]:
        """Yield the rows, one first and then more at once.

        No read stays open while the caller works. It would hold up the connection's other users and
        keep the log from being written back.
        """
        before, count = self._before, 1
        with _opened(self.database) as engine:
            while True:
                work = partial(_rows, thread_id=self.thread_id, before=before, count=count)
                rows = engine.read(work, empty=list[_Row]())
                yield from rows
                if len(rows) < count:
                    return
                before, count = rows[-1].number, 2 * count


class ConversationBefore(Conversation):
    """The turns before that of a run, in whichever thread it is."""

    def __init__(
        self, database: Place | Engine, run_id: str, *, roots: frozenset[str] | None = None
    ) -> None:
        super().__init__(database, "", roots=roots)
        self.run_id = run_id

    def _rows(self) -> Iterator[_Row]:
        its = select(turns.c.thread_id, turns.c.number).where(turns.c.run_id == self.run_id)
        with _opened(self.database) as engine:
            row = engine.read(lambda connection: connection.execute(its).first(), empty=None)
        if row is not None:
            self.thread_id, self._before = row
            yield from super()._rows()


def check_thread(name: str, place: Place) -> str:
    """Return the id of the thread that a person named; `last` is looked up.

    Raises:
        RunError: the name is no id, or there is no turn yet.
    """
    if name == LAST:
        last = last_thread(place)
        if last is None:
            message = 'There is no thread yet. Begin one: minerva ask "…", or minerva chat.'
            raise RunError(message)
        return last
    if not _ID.fullmatch(name):
        message = (
            f"--thread {name!r}: an id has letters, digits, `.`, `_` and `-`, at most 64. "
            f"The latest thread is `{LAST}`."
        )
        raise RunError(message)
    return name


def _rows(connection: Connection, thread_id: str, before: int, count: int) -> list[_Row]:
    """Return turns of a thread before a number; a run that is at work has none yet."""
    about = (func.coalesce(each, "") for each in (runs.c.root, runs.c.status, runs.c.run_id))
    is_over = turns.c.turn.is_not(None) | (runs.c.status != "running")
    mine = (
        select(turns.c.number, turns.c.turn, *about, runs.c.task)
        .join_from(turns, runs, runs.c.run_id == turns.c.run_id, isouter=True)
        .where(turns.c.thread_id == thread_id, turns.c.number < before, is_over)
    )
    rows = connection.execute(mine.order_by(turns.c.number.desc()).limit(count))
    return [_Row._make(row) for row in rows]


@contextmanager
def _opened(database: Place | Engine) -> Generator[Engine]:
    if isinstance(database, Engine):
        yield database
        return
    with opened_engine(database) as engine:
        yield engine
