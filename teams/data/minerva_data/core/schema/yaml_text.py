"""Write plain data as YAML, a table at a time.

A contract of 100,000 columns has four million scalars, for which PyYAML takes minutes and the
memory of them all; this writes the little that contracts need, and a test reads it with PyYAML.
"""

import json
import re
from collections.abc import Mapping, Sequence

Plain = Mapping[str, "Plain"] | Sequence["Plain"] | str | int | None
"""What can be written; keys are plain words of ours."""

_BARE = re.compile(r"[^\W\d](?:[\w .,()/@+-]*[\w)])?")
_SPOKEN_FOR = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})


def yaml_lines(value: Plain) -> list[str]:
    """Return `value` as lines of YAML; texts must be printable."""
    if isinstance(value, Mapping):
        return [line for key, inner in value.items() for line in _entry(key, inner)]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [line for item in value for line in _item(yaml_lines(item))]
    return [_scalar(value)]


def _entry(key: str, value: Plain) -> list[str]:
    if isinstance(value, Mapping) and value:
        return [f"{key}:", *(f"  {line}" for line in yaml_lines(value))]
    if isinstance(value, Sequence) and not isinstance(value, str) and value:
        return [f"{key}:", *yaml_lines(value)]
    return [f"{key}: {_scalar(value)}"]


def _item(lines: list[str]) -> list[str]:
    first, *rest = lines
    return [f"- {first}", *(f"  {line}" for line in rest)]


def _scalar(value: Plain) -> str:
    """Return a scalar, or what is empty; in quotes, if YAML could read a text as something else."""
    if isinstance(value, str) and _BARE.fullmatch(value) and value.casefold() not in _SPOKEN_FOR:
        return value
    return json.dumps(value, ensure_ascii=False)
