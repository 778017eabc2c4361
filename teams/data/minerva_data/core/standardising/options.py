"""What a person may ask of a standardisation, and how dialects are called."""

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from minerva_data.core.audit.style import MAX_LENGTH, Style
from minerva_data.core.glossary.priority import DEFAULT_PRIORITY
from minerva_data.core.schema.migration import DIALECTS
from minerva_platform.text import read_words

Emitted = Literal["csv", "xlsx", "ddl", "odcs", "dbt", "report"]
"""What can be written."""

EMITTED: tuple[Emitted, ...] = get_args(Emitted)

_OTHER_NAMES = read_words("minerva_data.core.standardising", "dialects")


class StandardiseFault(Exception):  # noqa: N818  # what was given is at fault, nothing here
    """What was given cannot be standardised at all, or not written; says what to do."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """How columns are read, named, ordered and written.

    `dialect` None: of a schema what its marks say, else the standard's SQL. `emit` None: all that
    there is something to write of. `header_map` holds fields by header, as `--map` gives them.
    `is_data`: a CSV holds data, only its header row is of interest.
    """

    dialect: str | None = None
    encoding: str | None = None
    """Python's name of the files' encoding; None: as they show."""
    priority: tuple[str, ...] = DEFAULT_PRIORITY
    style: Style = "UPPER_SNAKE"
    max_length: int = MAX_LENGTH
    emit: tuple[Emitted, ...] | None = None
    header_map: Mapping[str, str] = field(default_factory=dict[str, str])
    is_data: bool = False
    language: Literal["ko", "en"] = "en"
    """Of the report."""


def read_encoding(name: str) -> str:
    """Return Python's name of an encoding.

    Raises:
        StandardiseFault: it is unknown, or no encoding of texts.
    """
    try:
        codec = codecs.lookup(name)
        "".encode(codec.name)
    except LookupError:
        message = f"--encoding {name}: no such encoding. Name one as Python does: cp932, euc_jp."
        raise StandardiseFault(message) from None
    return codec.name


def read_dialect(name: str) -> str:
    """Return a dialect by one of its names.

    Raises:
        StandardiseFault: it is unknown.
    """
    spelled = name.strip().casefold()
    others = _OTHER_NAMES.lists.items()
    found = next((dialect for dialect, names in others if spelled in names), spelled)
    if found not in DIALECTS:
        message = f"`{name}` is no dialect that is known here; there are {', '.join(DIALECTS)}."
        raise StandardiseFault(message)
    return found
