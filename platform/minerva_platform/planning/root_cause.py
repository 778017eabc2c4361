"""Find the failure that another failure follows from.

A team fails because of its member. A consumer is skipped because of its producer, perhaps in
another team. A failure counts only where it began.
"""

from collections.abc import Iterable, Mapping

from minerva_observability.records.record import called_name
from minerva_platform.contract.dataflow import Flow
from minerva_platform.contract.result import Result
from minerva_platform.contract.task import Task


def began_at(result: Result) -> str:
    """Return the path where the failure of `result` began: its own path, or another's."""
    return result.because_of or result.path


def lost_at(
    kind: str, results: Iterable[Result], *, flows: Mapping[str, Flow], auditor: str | None
) -> str | None:
    """Return the path of the failure that cost the hand-off of `kind`. None if unknown.

    The failure is that of the kind's producer, or of its `auditor`, without which the kind may not
    leave the team.
    """
    for result in results:
        if kind in result.lost:
            return result.lost[kind]
        is_its = kind in flows[result.agent].gives or result.agent == auditor
        if is_its and result.status != "ok":
            return began_at(result)
    return None


def failed_before(member: str, flow: Flow, task: Task) -> str | None:
    """Return the path where `member` failed to give the same kinds earlier in the run, if any.

    An early call of a team and its later full call meet the same fault in the same worker.
    """
    paths = [path for kind, path in task.lost.items() if kind in flow.gives]
    return next((path for path in paths if called_name(path) == member), None)
