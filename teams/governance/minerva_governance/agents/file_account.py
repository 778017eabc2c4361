"""Tell what became of each attached file, as the platform's contract has it."""

from collections.abc import Iterable, Sequence
from typing import Any

from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.reading.source import FileUse
from minerva_platform import Attachment, AttachmentUse


def told_files(attachments: Sequence[Attachment], uses: Iterable[FileUse]) -> list[dict[str, Any]]:
    """Return `uses` as JSON, after the folders that were looked through.

    A reason loses the period at its end: it is told as a clause.
    """
    folders = [FileUse(name=each.name, status="used") for each in attachments if each.is_dir]
    return [
        AttachmentUse(
            name=mask_text(use.name),
            status=use.status,
            reason=mask_text(use.reason.rstrip(".")),
            must_mend=use.must_mend,
        ).model_dump(mode="json")
        for use in (*folders, *uses)
    ]
