"""What a reader gives for each row of a file: entries, or the reason why there are none."""

from dataclasses import dataclass

from minerva_data.core.glossary.draft import Draft, Place


class ImportFault(Exception):  # noqa: N818  # the file's fault; a row's is a reason in the report
    """A file cannot be imported at all; says where it is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One row of a file. Without drafts, `reason` says why it was rejected."""

    place: Place
    drafts: tuple[Draft, ...] = ()
    reason: str = ""
