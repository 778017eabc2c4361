"""The runs of a ledger as people and programs ask for them: by an id, or by its beginning."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection

from minerva_platform.contract.run_object import Interrupt, Run
from minerva_platform.errors import UnknownRunError
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.files.artifacts import ArtifactPlace
from minerva_platform.storage.ledger.questions import KeptDecision, decisions_of, open_questions
from minerva_platform.storage.ledger.run_row import KeptRun, RunHead, find_run, named_run


@dataclass(frozen=True, slots=True)
class NamedRun:
    """A run, the questions that it waits with, and what was decided in it."""

    head: RunHead
    waiting: tuple[Interrupt, ...]
    decisions: Mapping[str, KeptDecision]
    elsewhere: Mapping[str, str]
    """The open questions of other runs, with the runs that ask them."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """The runs in one database. Each method raises `StateError` if that cannot be read."""

    engine: Engine
    artifacts: ArtifactPlace

    def find_named(self, name: str, *, tenant: str | None = None) -> NamedRun:
        """Return the run that a person named by its id or its beginning: of `tenant`, or any.

        Raises:
            UnknownRunError: there is none.
            RunError: several begin so.
        """

        def look(connection: Connection) -> NamedRun | None:
            head = named_run(connection, name, tenant=tenant)
            waiting = open_questions(connection, tenant=None)
            mine = tuple(each.interrupt for each in waiting if each.run_id == head.run_id)
            others = {
                each.interrupt.id: each.run_id for each in waiting if each.run_id != head.run_id
            }
            return NamedRun(head, mine, decisions_of(connection, head.run_id), others)

        named = self.engine.read(look, empty=None)
        if named is None:
            raise UnknownRunError(name)
        return named

    def find(self, run_id: str) -> KeptRun:
        """Return the run of this id.

        Raises:
            UnknownRunError: there is none, or none any more.
        """
        look = partial(find_run, run_id=run_id, place=self.engine.place)
        run = self.engine.read(look, empty=None)
        if run is None:
            raise UnknownRunError(run_id)
        return run

    def to_run(self, row: KeptRun) -> Run:
        """Return the run object of a row, with its artifacts."""
        return self.artifacts.store(self.engine).with_artifacts(row.to_run())
