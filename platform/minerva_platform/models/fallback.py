"""Let a model help a worker that also works without one. Its answer counts only if checked.

    found = await self.assist(prompt, schema=Candidates, instead=none, check=only_known_terms)

Without a model the answer is `instead`, and nothing is recorded. If the model fails, or `check`
refuses its answer, the answer is `instead`, too, and the cause is recorded. The run is degraded
only if `instead` lacks something that was asked for (`is_whole=False`).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from minerva_platform.errors import ModelError
from minerva_platform.run_context.context import note_bypass
from minerva_platform.run_context.failures.error_info import error_to_info
from minerva_platform.run_context.recorded_failures import record_at_work

if TYPE_CHECKING:
    from minerva_platform.contract.engine import LanguageModel

NODE = "assist"
"""The name in records of the node that a model should have helped with."""

AnswerT = TypeVar("AnswerT", bound=BaseModel)


class RefusedAnswerError(Exception):
    """A `check` raises it if the model says something unconfirmed. The text names that."""


async def assist(
    model: "LanguageModel | None",
    prompt: str,
    *,
    schema: type[AnswerT],
    instead: AnswerT,
    check: Callable[[AnswerT], AnswerT] | None = None,
    system: str = "",
    is_whole: bool = True,
) -> AnswerT:
    """Return the answer of `model` if `check` accepts it, else `instead`.

    `check` returns the answer, mended where that is safe, or raises `RefusedAnswerError`. Answers
    that cannot be wrong, such as a wording, need none.
    Time and calls are limited by the model's own guard and the run's budget.
    """
    if model is None:
        return instead
    try:
        answer = await model.ask(prompt, schema=schema, system=system)
        return answer if check is None else check(answer)
    except (ModelError, RefusedAnswerError) as error:
        info = error_to_info(error).model_copy(update={"where": None, "is_sentence": True})
        note_bypass(info, is_whole=is_whole)
        record_at_work(error, "substituted", kind="node", node=NODE)  # else it leaves no trace
        return instead
