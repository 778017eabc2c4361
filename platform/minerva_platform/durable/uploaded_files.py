"""Uploaded files are brought to where a run works, before its work begins.

A run names the copy of an upload in the home in which it was accepted. Whoever works on the run, on
another host or later, makes the copy anew from the artifact store, and names that.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from minerva_platform.config.settings import home_directory
from minerva_platform.contract.attachment import Attachment
from minerva_platform.contract.result import Bypass
from minerva_platform.conversation.follow_up import Understanding
from minerva_platform.errors import UploadGoneError, UploadNameError
from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.run_context.failures.failure_text import to_bypass
from minerva_platform.run_context.recorded_failures import record_step_failure

if TYPE_CHECKING:
    from minerva_platform.contract.assembled_team import AssembledTeam
    from minerva_platform.storage.files.artifacts import ArtifactStore

FETCH: Final = "fetch"
"""The node that brings uploaded files here, by its name in records."""

_Lost = UploadGoneError | UploadNameError


async def with_uploaded_files(
    team: "AssembledTeam", understanding: Understanding, store: "ArtifactStore"
) -> Understanding:
    """Return `understanding` with each uploaded file at its path in this home.

    A file that is not kept any more is left out, and the run says so.

    Raises:
        StateError: a file cannot be read or written here.
    """
    here, lost = await in_daemon_thread(_bring, understanding.task.attachments, store)
    language = understanding.task.language
    entries: list[Bypass] = []
    for error in lost:
        info = record_step_failure(error, "left_out", team=team, node=FETCH)
        entries.append(to_bypass(team.name, info, language, "left_out"))
    task = understanding.task.model_copy(update={"attachments": here})
    return replace(understanding, task=task, bypassed=(*understanding.bypassed, *entries))


def _bring(
    attachments: Sequence[Attachment], store: "ArtifactStore"
) -> tuple[tuple[Attachment, ...], list[_Lost]]:
    """Return the files that are here now, and why the others are not."""
    from minerva_platform.storage.files.uploads import local_upload  # noqa: PLC0415  # SQLAlchemy is heavy

    home = home_directory()
    here: list[Attachment] = []
    lost: list[_Lost] = []
    for item in attachments:
        found = item.upload_key
        if found is None:
            here.append(item)
            continue
        try:
            here.append(Attachment(path=local_upload(home, store, *found)))
        except (UploadGoneError, UploadNameError) as error:
            if item.path.exists():  # a file of the person's own, in a folder with such a name
                here.append(item)
            else:
                lost.append(error)
    return tuple(here), lost
