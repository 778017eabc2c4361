"""Account for every part of a request: what nobody serves is told, in the person's words.

A router names such parts (`Decision.unserved`). Only where the request enters are they believed,
and only as far as the person typed them in this turn: a team below judges a part that was cut for
it, and a follow-up carries the words of earlier turns.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

from minerva_platform.routing.protocol import Decision, RoutingView
from minerva_platform.run_context import current_run

MAX_PARTS: Final = 32
"""Parts that are told of one request."""
MAX_PART: Final = 4_000
"""Characters of a part; a longer one is a text that was pasted."""


def told_unserved(decision: Decision, view: RoutingView) -> Decision:
    """Return `decision` with those unserved parts that are quotes of what was typed, each once."""
    is_served = bool(decision.goals or view.results)
    typed = current_run().typed if is_served and not view.in_scope else ""
    parts = {" ".join(part.split()): None for part in decision.unserved if len(part) <= MAX_PART}
    kept = [part for part in parts if _is_part(part, typed)][:MAX_PARTS]
    return decision.model_copy(update={"unserved": tuple(kept)})


def unserved_by_examples(router: Any, request: str) -> tuple[str, ...]:
    """Return what a router that learned from examples finds unserved in `request`, unasked."""
    choose = getattr(getattr(router, "embedded", router), "choose", None)
    if choose is None:
        return ()
    decision: Decision = choose(request)
    return decision.unserved


def parts_to_row(parts: Iterable[str]) -> list[dict[str, Any]]:
    """Return `parts` as a record keeps them: where they stand, and (masked) what they say."""
    typed = current_run().typed
    spans = ((part, _found(part, typed)) for part in parts)
    return [{"request": part, "start": at.start(), "end": at.end()} for part, at in spans if at]


def parts_to_error(parts: Iterable[str]) -> dict[str, str]:
    """Return why the run is degraded, without the person's words: these are never recorded."""
    spans = [f"{span['start']}-{span['end']}" for span in parts_to_row(parts)]
    message = f"No member serves the characters {', '.join(spans)} of the request."
    return {"type": "PartlyServedError", "message": message}


def _is_part(part: str, typed: str) -> bool:
    """Tell whether `part` is a quote of `typed`, and not the whole of it."""
    found = _found(part, typed)
    return found is not None and found.group().strip() != typed.strip()


def _found(part: str, typed: str) -> "re.Match[str] | None":
    words = part.split()
    return re.search(r"\s+".join(map(re.escape, words)), typed) if words else None
