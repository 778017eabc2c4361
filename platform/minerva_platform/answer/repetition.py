"""Tell that an answer is the last one again: a person would look in it for what is new."""

import hashlib
import re
from typing import Final

from minerva_platform.contract.result import TeamOutput
from minerva_platform.storage.turn import KeptTurn

_ASKS_FOR_IT: Final = re.compile(
    r"\b(?:again|once more|repeat|same)\b|다시|한 ?번 ?더|반복|똑같이|그대로", re.IGNORECASE
)


def answer_digest(output: TeamOutput) -> str:
    """Return the digest of what the members answered; empty if nobody did."""
    if not output.hops or not output.summary:
        return ""
    return hashlib.sha256(output.summary.encode()).hexdigest()


def repeats_unasked(request: str, output: TeamOutput, latest: KeptTurn | None) -> bool:
    """Tell whether `output` answers a new `request` in the words of the answer before it.

    Who asks the same once more, or for the same, expects the same.
    """
    if latest is None or not latest.answer_sha256:
        return False
    is_new = latest.request.casefold().split() != request.casefold().split()
    asks_for_it = not is_new or _ASKS_FOR_IT.search(request) is not None
    return not asks_for_it and latest.answer_sha256 == answer_digest(output)
