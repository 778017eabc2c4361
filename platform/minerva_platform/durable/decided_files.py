"""The files of a run, told anew by the team that made them, once people have decided.

A report that a worker wrote before the question says that somebody is asked; who decided what, and
when, only the run's row knows. A team whose declaration has `files_at_end` gets both.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from minerva_platform.contract.assembled_team import Declaration
from minerva_platform.contract.run_object import Run
from minerva_platform.contract.values import Artifact, Content, StoredArtifact
from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.run_context.context import current_run
from minerva_platform.run_context.failures.containment import call_contained

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from minerva_platform.contract.assembled_team import AssembledTeam
    from minerva_platform.storage.ledger.open_run import OpenRun

Decisions = Sequence[Mapping[str, Any]]


async def with_decided_files(run: Run, team: "AssembledTeam", open_run: "OpenRun") -> Run:
    """Return `run` with the files that its teams tell anew.

    Raises:
        StateError: the database cannot be read or written.
        Exception: whatever a team raises.
    """
    telling = [
        each
        for each in team.teams
        if type(each.declaration).files_at_end is not Declaration.files_at_end
    ]
    if not telling:
        return run
    nothing: Decisions = ()
    decisions = await open_run.engine.aread(partial(_decisions, run_id=run.run_id), empty=nothing)
    store = current_run().store
    for each in telling:
        files = {one.name: store.read_text(one.sha256) for one in run.artifacts}
        tell = partial(each.declaration.files_at_end, run, decisions, files)
        artifacts = await in_daemon_thread(partial(call_contained, each.name, tell))
        run = await _replaced(run, artifacts)
    return run


async def _replaced(run: Run, artifacts: Sequence[Artifact]) -> Run:
    store = current_run().store
    by_name: dict[str, StoredArtifact] = {}
    for each in artifacts:
        content = Content.of(each.content)
        await in_daemon_thread(partial(store.write, content))
        by_name[each.name] = store.address(each.name, each.media_type, content)
    await store.asave({each.sha256 for each in by_name.values()})
    return run.model_copy(
        update={"artifacts": tuple(by_name.get(one.name, one) for one in run.artifacts)}
    )


def _decisions(connection: "Connection", *, run_id: str) -> Decisions:
    from minerva_platform.storage.ledger.questions import decisions_of, questions_of  # noqa: PLC0415  # SQLAlchemy is heavy

    questions = questions_of(connection, run_id)
    return tuple(
        {
            "tool": questions[each.interrupt_id].tool if each.interrupt_id in questions else "",
            "by": each.by,
            "at": datetime.fromtimestamp(each.at, UTC),
            **each.decision,
        }
        for each in sorted(decisions_of(connection, run_id).values(), key=lambda one: one.at)
    )
