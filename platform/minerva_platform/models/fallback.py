"""Let a model help a worker, who can do without: its answer counts only if the core agrees.

    found = await self.assist(prompt, schema=Candidates, instead=none, check=only_known_terms)

Without a model `instead` is the answer, and nothing is recorded. If the model fails, or says what
`check` refuses, `instead` is the answer, too; the run is then degraded, with the cause on record.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from minerva_observability import current_span
from minerva_observability.records import SpanFields
from minerva_platform.calls.context import note_bypass
from minerva_platform.calls.error_info import error_to_info, record_failure
from minerva_platform.errors import ModelError

if TYPE_CHECKING:
    from minerva_platform.models.model import Model

NODE = "assist"
"""How records call the node that a model should have helped with."""

AnswerT = TypeVar("AnswerT", bound=BaseModel)


class RefusedAnswerError(Exception):
    """Raised by a `check`: the model said what the core cannot confirm. The text says what."""


def accept(answer: AnswerT) -> AnswerT:
    """Take the answer as it is: for what cannot be wrong, such as a wording."""
    return answer


async def assist(
    model: "Model | None",
    prompt: str,
    *,
    schema: type[AnswerT],
    instead: AnswerT,
    check: Callable[[AnswerT], AnswerT] = accept,
    system: str = "",
) -> AnswerT:
    """Return what `model` answers and `check` lets through, else `instead`.

    `check` returns the answer, mended where that is safe, or raises `RefusedAnswerError`.
    Time and calls are limited by the model's own guard and the run's budget.
    """
    if model is None:
        return instead
    try:
        return check(await model.ask(prompt, schema=schema, system=system))
    except (ModelError, RefusedAnswerError) as error:
        note_bypass(error_to_info(error).model_copy(update={"where": None, "is_sentence": True}))
        _record(error)
        return instead


def _record(error: Exception) -> None:
    """Write a row for help that was not taken: a refused answer leaves no other trace."""
    span = current_span()
    if span is None:
        return
    names: SpanFields = {"node": NODE}
    if "team" in span.fields:
        names["team"] = span.fields["team"]
    if "agent_name" in span.fields:
        names["agent_name"] = span.fields["agent_name"]
    record_failure(error, "substituted", kind="node", path=span.path, **names)
