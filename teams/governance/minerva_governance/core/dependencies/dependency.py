"""A library that the code under review uses, and what of its declarations could not be read."""

import re
from collections.abc import Iterable, Iterator

from pydantic import BaseModel

from minerva_platform.text import read_texts
from minerva_reading import Ecosystem

TEXTS = read_texts("minerva_governance.core.dependencies", "dependencies")

_SEPARATORS = re.compile(r"[-_.]+")


class Dependency(BaseModel, frozen=True):
    """A library as a manifest or lock names it."""

    ecosystem: Ecosystem
    name: str
    version: str = ""
    """Empty where the file allows several."""
    licence: str = ""
    """As it stands in the file or in the library's metadata; "" where neither names one."""
    source: str
    line: int = 1

    @property
    def key(self) -> tuple[str, str]:
        """What makes two entries the same library: PyPI takes `-`, `_` and `.` for one."""
        name = self.name
        if self.ecosystem == "pypi":
            name = _SEPARATORS.sub("-", name).casefold()
        return self.ecosystem, name

    @property
    def target(self) -> str:
        """The name that findings and waivers use: `requests@2.31.0`."""
        return f"{self.name}@{self.version}" if self.version else self.name


class Dependencies(BaseModel, frozen=True):
    """All libraries that were found, and the files that name them."""

    manifests: tuple[str, ...] = ()
    libraries: tuple[Dependency, ...] = ()


def merge_dependencies(candidates: Iterable[tuple[Dependency, bool]]) -> tuple[Dependency, ...]:
    """Return each library once: by name and version, and without those that a lock settles.

    Each comes with whether a lock names it. A lock speaks for the folders below its own.
    """
    entries = list(candidates)
    locked: dict[tuple[str, str], set[str]] = {}
    for one, is_locked in entries:
        if is_locked:
            locked.setdefault(one.key, set()).add(_folder(one.source))
    libraries: dict[tuple[str, str, str], Dependency] = {}
    for one, is_locked in entries:
        above = locked.get(one.key, set[str]())
        if not is_locked and any(_is_below(_folder(one.source), each) for each in above):
            continue
        first = libraries.setdefault((*one.key, one.version), one)
        if one.licence and not first.licence:
            libraries[*one.key, one.version] = first.model_copy(update={"licence": one.licence})
    return tuple(sorted(libraries.values(), key=lambda one: (*one.key, one.version)))


def _folder(source: str) -> str:
    return source.rpartition("/")[0]


def _is_below(folder: str, other: str) -> bool:
    return folder == other or not other or folder.startswith(f"{other}/")


def shown(items: Iterable[object], limit: int = 10) -> Iterator[str]:
    """Give the first items, and dots where there are more."""
    for number, item in enumerate(items):
        if number == limit:
            yield "…"
            return
        yield str(item)
