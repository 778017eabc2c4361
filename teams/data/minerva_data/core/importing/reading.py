"""What a reader gives for each row of a file: entries, or the reason why there are none."""

from dataclasses import dataclass

from minerva_data.core.glossary.draft import Draft, Place


@dataclass(frozen=True, slots=True)
class Reading:
    """One row of a file. Without drafts, `reason` says why it was rejected."""

    place: Place
    drafts: tuple[Draft, ...] = ()
    reason: str = ""
