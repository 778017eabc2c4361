"""Find the failure that another one follows from.

A team fails because of its member. A consumer is skipped because of its producer, perhaps in
another team. A failure counts only where it began.
"""

from collections.abc import Iterable, Mapping

from minerva_platform.contract import Result
from minerva_platform.flow import Flow


def began_at(result: Result) -> str:
    """Return the path at which the failure of `result` began, its own or another's."""
    return result.because_of or result.path


def lost_at(
    kind: str, results: Iterable[Result], *, flows: Mapping[str, Flow], checker: str | None
) -> str | None:
    """Return the path of the failure for which there is no hand-off of `kind`; None if unknown.

    It is the failure of the member that gives the kind, or of its `checker`, without which the
    kind may not leave the team.
    """
    for result in results:
        if kind in result.lost:
            return result.lost[kind]
        is_its = kind in flows[result.agent].gives or result.agent == checker
        if is_its and result.status != "ok":
            return began_at(result)
    return None
