"""Write values that are certainly a person's without telling them, in texts and in names of files.

A digit becomes 0 and a letter x: `850101-1234567` is `000000-0000000`, `kim@hospital.kr` is
`xxx@xxxxxxxx.xx`. So lengths, lines and columns stay, a number stays a number, and source code
stays what it was to a parser. What is masked is not masked again.

A file is opened by its own name, and named by the masked one wherever something is shown or kept.
`real_path` finds the file again where it lies, so that no kept state needs the name.
"""

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path, PurePath

from minerva_observability.masking import check_digits, personal_intervals

__all__ = [
    "check_digits",
    "masked",
    "masked_name",
    "masked_names",
    "masked_path",
    "real_path",
]


def masked(text: str) -> str:
    """Return `text`, of the same length, with each certain value of a person masked."""
    found = personal_intervals(text)
    if not found:
        return text
    parts: list[str] = []
    at = 0
    for start, end in found:
        parts += (text[at:start], masked_value(text[start:end]))
        at = end
    return "".join((*parts, text[at:]))


def masked_value(value: str) -> str:
    """Return a value with each digit as 0 and each letter as x."""
    return "".join("0" if c.isdigit() else "x" if c.isalpha() else c for c in value)


def masked_names(entries: Mapping[str, int]) -> dict[str, str]:
    """Return the names of files by what stands for each where it is shown.

    `entries` gives each name a number, such as its inode. Names that look alike once they are
    masked show it: `000000-0000000~131.csv`.
    """
    shown = {name: masked_name(name) for name in entries}
    alike = Counter(shown.values())
    return {
        masked if alike[masked] == 1 or masked == name else _numbered(masked, entries[name]): name
        for name, masked in shown.items()
    }


def _numbered(name: str, number: int) -> str:
    ending = PurePath(name).suffix
    return f"{name.removesuffix(ending)}~{number}{ending}"


def masked_name(name: str) -> str:
    """Return the name of a file or folder, or a `/` path, masked; each name keeps its ending."""
    return "/".join(map(_masked_part, name.split("/")))


def _masked_part(name: str) -> str:
    shown = masked(name)
    if shown == name:
        return name
    ending = PurePath(name).suffix
    return shown[: len(shown) - len(ending)] + ending


def masked_path(path: Path) -> Path:
    """Return what stands for `path` where it is shown or kept; `real_path` finds it again."""
    if masked_name(str(path)) == str(path):
        return path
    folder = masked_path(path.parent)
    shown = {name: each for each, name in _entries(path.parent).items()}
    return folder / shown.get(path.name, masked_name(path.name))


def real_path(path: Path) -> Path:
    """Return the file or folder that a masked path stands for; any other path as it is.

    A path that stands for several, because more of the same look have come since, or for none,
    leads to no file.
    """
    if os.path.lexists(path) or path.parent == path:
        return path
    folder = real_path(path.parent)
    return folder / _entries(folder).get(path.name, path.name)


def _entries(folder: Path) -> dict[str, str]:
    try:
        with os.scandir(folder) as entries:
            return masked_names({entry.name: entry.inode() for entry in entries})
    except OSError:
        return {}
