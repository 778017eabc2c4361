"""What became of each attached file, as the platform's contract has it."""

from collections.abc import Iterable, Sequence

from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.reading.source_files import FileUse
from minerva_platform import Attachment, AttachmentUse


def told_files(
    attachments: Sequence[Attachment], uses: Iterable[FileUse]
) -> tuple[AttachmentUse, ...]:
    """Return `uses`, masked, after the folders that were looked through.

    A reason loses the period at its end: the platform puts it into a sentence.
    """
    folders = [FileUse(name=each.name, status="used") for each in attachments if each.is_dir]
    return tuple(
        AttachmentUse(
            name=mask_text(use.name),
            status=use.status,
            reason=mask_text(use.reason.rstrip(".")),
            must_mend=use.must_mend,
        )
        for use in (*folders, *uses)
    )
