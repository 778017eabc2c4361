"""What of the material was not looked at, and which rules it could have broken.

A rule passes only where everything that could break it was looked at.
"""

from pydantic import BaseModel

from minerva_governance.core.policy.policy import TargetKind

MATERIAL: frozenset[TargetKind] = frozenset({"column", "dataset", "table"})
"""The kinds of rule that data, schemas and documents can break."""


class Unreviewed(BaseModel, frozen=True):
    """A file, or a part of one, that was not looked at."""

    name: str
    """The file's name, or `schema.sql:12`; for a data file the name of its table."""
    kinds: frozenset[TargetKind] = MATERIAL
    reason: str
    may_be_notice: bool = False
    """A document that may be the privacy notice, so what it names is not known."""
