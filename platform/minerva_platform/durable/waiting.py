"""Record what a run asks people, and what they decided; never what was asked or given.

The rows stand in the part of the run that asks, and in the part that goes on with the decision. A
part that is repeated after a crash writes them again under the same ids, and readers count them
once.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from minerva_observability import record_decision, record_pause
from minerva_platform.contract.run_object import Interrupt

if TYPE_CHECKING:
    from minerva_platform.storage.interrupts import Decided


def record_pauses(asked: Iterable[Interrupt], *, before: Iterable[Interrupt]) -> None:
    """Record the questions that were not asked `before`, in an earlier part of the run."""
    known = {question.id for question in before}
    for question in asked:
        if question.id not in known:
            record_pause(path=question.path, interrupt_id=question.id, asked=question.asked)


def record_decisions(asked: Iterable[Interrupt], decided: "Mapping[str, Decided]") -> None:
    """Record the decisions about the questions with which the part before has ended."""
    for question in asked:
        decision = decided.get(question.id)
        if decision is not None:
            record_decision(
                path=question.path,
                interrupt_id=question.id,
                decision=str(decision.decision["type"]),
                by=decision.by,
                asked=question.asked,
                at=decision.at,
            )
