"""Account for every part of a request: the answer names the parts that no member serves.

A router names such parts (`Decision.unserved`). They count only at the root, and only if the person
typed them in this turn. A team below the root sees a part that was cut for it, and a follow-up
carries the words of earlier turns.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from minerva_platform.contract.result import ErrorInfo
from minerva_platform.contract.router import Decision, RoutingView
from minerva_platform.contract.task import Task
from minerva_platform.routing.clauses.splitting import words_of_clause

MAX_PARTS: Final = 32
"""The most parts of one request that are named."""
MAX_PART: Final = 4_000
"""Characters of a part. A longer one is pasted text."""


def person_words_in(task: Task) -> str:
    """Return the words of `task` that must be accounted for. None if the task names its members."""
    return "" if task.members else task.request


def quote_unserved(decision: Decision, view: RoutingView, person_words: str) -> Decision:
    """Return `decision` with the unserved parts that are quotes of `person_words`, without repeats.

    A follow-up with no other part is unserved as a whole. The members that served the earlier words
    would only answer these again.
    """
    if not decision.unserved:
        return decision
    is_told = bool(decision.goals or view.results) and not view.in_scope
    parts = {" ".join(part.split()): None for part in decision.unserved if len(part) <= MAX_PART}
    if not (view.in_scope or view.results) and _refers_back(view, person_words):
        quotes = [part for part in parts if _found(part, person_words)][:MAX_PARTS]
        if quotes and _are_all(quotes, person_words):
            none = {"goals": (), "finish": True, "unserved": tuple(quotes)}
            return decision.model_copy(update=none)
    kept = [part for part in parts if is_told and _is_part(part, person_words)][:MAX_PARTS]
    return decision.model_copy(update={"unserved": tuple(kept)})


def still_unserved(before: Iterable[str], decision: Decision, request: str) -> tuple[str, ...]:
    """Return the unserved parts after one more `decision`, less those that it gives to a member.

    A router that is asked again may name another part and need not repeat the first.
    """
    given = [goal.request for goal in decision.goals if goal.request != request]
    left = [part for part in before if not any(part in words for words in given)]
    return tuple(dict.fromkeys((*left, *decision.unserved)))[:MAX_PARTS]


def parts_to_row(parts: Iterable[str], person_words: str) -> list[dict[str, Any]]:
    """Return `parts` as a record keeps them: their positions, and their words as a digest."""
    spans = ((part, _found(part, person_words)) for part in parts)
    return [{"request": part, "start": at.start(), "end": at.end()} for part, at in spans if at]


def spans_to_error(spans: Sequence[Mapping[str, Any]]) -> ErrorInfo:
    """Return the error of a degraded run, without the person's words, which are never recorded."""
    places = ", ".join(f"{span['start']}-{span['end']}" for span in spans)
    message = f"No member serves the characters {places} of the request."
    return ErrorInfo.of("partly_served", message)


def _refers_back(view: RoutingView, person_words: str) -> bool:
    """True if the request holds words of an earlier turn."""
    return bool(person_words.strip()) and view.request.split() != person_words.split()


def _are_all(parts: Iterable[str], person_words: str) -> bool:
    """True if `parts` cover all of `person_words` but joining words."""
    left = person_words
    for part in parts:
        found = _found(part, left)
        left = f"{left[: found.start()]} {left[found.end() :]}" if found else left
    return not re.search(r"\w", words_of_clause(left))


def _is_part(part: str, person_words: str) -> bool:
    """True if `part` is a quote of `person_words`, but not all of it."""
    found = _found(part, person_words)
    return found is not None and found.group().strip() != person_words.strip()


def _found(part: str, person_words: str) -> "re.Match[str] | None":
    words = part.split()
    return re.search(r"\s+".join(map(re.escape, words)), person_words) if words else None
