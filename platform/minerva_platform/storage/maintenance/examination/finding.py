"""What an examination found: what is wrong, where, and what to type."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

FindingCode = Literal[
    "artifact_changed",
    "artifact_missing",
    "artifacts_unused",
    "artifacts_unfinished",
    "checkpoint_unreadable",
    "configuration",
    "content_changed",
    "copy_set_aside",
    "database_damaged",
    "database_lost",
    "database_marked",
    "database_open_to_others",
    "database_unusable",
    "folder_unusable",
    "keys_mixed",
    "lease_left",
    "records_unreadable",
    "restored_copy",
    "row_unreadable",
    "rows_point_nowhere",
    "run_cut_off",
    "run_decided",
    "run_lost",
    "run_queued",
    "run_waits",
    "schema_differs",
    "stray_checkpoints",
]
"""The kinds of findings. The words for each lie in `cli/maintenance/texts/doctor.toml`."""

NOTES: frozenset[FindingCode] = frozenset(
    {"artifacts_unused", "artifacts_unfinished", "copy_set_aside", "run_queued", "run_waits"}
)
"""What a person may want to know and is no fault."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found."""

    code: FindingCode
    where: str
    """A file, a folder, or a row: `runs/3f2a…`."""
    command: str
    """What to type after `minerva `, or a whole command if it begins with `$ `."""
    values: Mapping[str, object] = field(default_factory=dict[str, object])
    """What the words name."""

    @property
    def is_note(self) -> bool:
        """True if it is no fault."""
        return self.code in NOTES


MEND = "doctor --mend"
"""Typed after `minerva `, it removes what cannot be read."""
