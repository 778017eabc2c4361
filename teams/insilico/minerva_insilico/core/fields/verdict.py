"""How sure it is that a use is of one model's field, and why."""

from typing import Final, Literal, NamedTuple

Certainty = Literal["certain", "possible", "left_out"]

Reason = Literal[
    "alias", "asked", "base", "beside", "body", "called_so", "class", "mirror", "near",
    "neighbour", "no_record", "only_one", "other_class", "other_function", "other_near",
    "other_relation", "other_table", "other_text", "parameter", "relation", "table", "tables",
    "union", "unknown", "unparsed", "untied", "migration",
]  # fmt: skip
"""Why a use counts or not. `answers/texts/uses.toml` says each in words."""


class Verdict(NamedTuple):
    """A score from 0 to 1 and its reason. 1 is proved to be of the field, 0 is left out."""

    score: float
    reason: Reason

    @property
    def certainty(self) -> Certainty:
        """What the score means."""
        return "certain" if self.score == 1 else "possible" if self.score else "left_out"


def certain(reason: Reason) -> Verdict:
    """Return that the use is of the field."""
    return Verdict(1.0, reason)


def left_out(reason: Reason) -> Verdict:
    """Return that the use is not of the field."""
    return Verdict(0.0, reason)


BY_NAME: Final = Verdict(1.0, "asked")
"""A name that is asked for without a model: every use of it counts."""

ONLY_ONE: Final = Verdict(0.8, "only_one")
CALLED_SO: Final = Verdict(0.8, "called_so")
NEIGHBOUR: Final = Verdict(0.7, "neighbour")
BESIDE: Final = Verdict(0.7, "beside")
BODY: Final = Verdict(0.6, "body")
NEAR: Final = Verdict(0.6, "near")
TABLES: Final = Verdict(0.6, "tables")
UNION: Final = Verdict(0.5, "union")
BASE: Final = Verdict(0.5, "base")
UNKNOWN: Final = Verdict(0.4, "unknown")
BY_TEXT: Final = Verdict(0.3, "unparsed")
