"""Record what a run asks people, and what they decided; never what was asked or given.

The rows stand in the part of the run that asks, and in the part that goes on with the decision. A
part that is repeated after a crash writes them again under the same ids, and readers count them
once.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from minerva_observability import record_decision, record_pause
from minerva_platform.contract.run_object import Interrupt
from minerva_platform.people.question_forms import Answer

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from minerva_platform.storage.engine.engine import Engine
    from minerva_platform.storage.ledger.questions import Decided


def record_pauses(asked: Iterable[Interrupt], *, before: Iterable[Interrupt]) -> None:
    """Record the questions that were not asked `before`, in an earlier part of the run."""
    known = {question.id for question in before}
    for question in asked:
        if question.id not in known:
            record_pause(path=question.path, interrupt_id=question.id, asked=question.asked)


async def given_decisions(
    engine: "Engine", run_id: str, asked: Iterable[Interrupt]
) -> dict[str, Answer]:
    """Return all that was decided in a run, by LangGraph's ids; record what was about `asked`.

    `asked` are the questions with which the part of the run before has ended.

    Raises:
        StateError: the database cannot be read.
    """
    from minerva_platform.storage.ledger.questions import decided, given_answers  # noqa: PLC0415  # SQLAlchemy is heavy

    def read_answers(connection: "Connection") -> tuple[dict[str, Answer], dict[str, "Decided"]]:
        return given_answers(connection, run_id), decided(connection, run_id)

    nothing: tuple[dict[str, Answer], dict[str, Decided]] = {}, {}
    values, done = await engine.aread(read_answers, empty=nothing)
    for question in asked:
        decision = done.get(question.id)
        if decision is not None:
            record_decision(
                path=question.path,
                interrupt_id=question.id,
                decision=str(decision.decision["type"]),
                by=decision.by,
                asked=question.asked,
                at=decision.at,
            )
    return values
