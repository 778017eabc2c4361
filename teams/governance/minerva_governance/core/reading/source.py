"""Find every file of what was attached, name it so that it is told apart, and guess what it holds.

Folders are entered, links are not followed. A name begins with the attached file's or folder's own
name, so that it says nothing about the machine.
"""

import os
import stat
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from minerva_governance.core.reading.text_file import not_opened
from minerva_governance.core.report.wording import Wording

MAX_FILES: Final = 2_000
"""Files of all attached folders together that are looked at."""

SourceKind = Literal["policy", "notice", "schema", "data", "code", "markup", "prose", "unknown"]
"""What a file may hold, by its name alone."""

FileStatus = Literal["used", "unreadable", "not_understood"]

_TABLE: Final[Mapping[str, Sequence[str]]] = tomllib.loads(
    (files("minerva_governance") / "seed" / "file_kinds.toml").read_text(encoding="utf-8")
)
DOCUMENTS: Final = frozenset(_TABLE["documents"])
"""Endings of files that may be a privacy notice although they are not understood."""
_PROSE_NAMES: Final = frozenset(_TABLE["prose_names"])
_SKIPPED: Final = frozenset(_TABLE["skipped_folders"])
_KINDS: Final[tuple[SourceKind, ...]] = (
    *("policy", "notice", "schema", "data", "code", "markup", "prose"),
)
_KIND_OF: Final[Mapping[str, SourceKind]] = {
    ending: kind for kind in _KINDS for ending in _TABLE[kind]
}

_IS_LINK = Wording("링크라서 따라가지 않았습니다.", "a link, which is not followed.")
_NO_FILE = Wording("보통 파일이 아닙니다.", "no regular file.")
_NOT_ENTERED = Wording(
    "도구가 만드는 폴더라 들어가지 않았습니다.", "a folder that tools make; not entered."
)
_TOO_MANY = Wording(
    f"파일이 {MAX_FILES:,}개를 넘어 나머지를 보지 않았습니다.",
    f"more than {MAX_FILES:,} files; the others were not looked at.",
)


class FileUse(BaseModel):
    """What became of an attached file; `reason` is a clause in the language of the review."""

    model_config = ConfigDict(frozen=True)

    name: str
    """As `Source.told_as` has it."""
    status: FileStatus
    reason: str = ""
    source: str = ""
    """What findings call the file."""
    must_mend: bool = False
    """The person has to mend it before the answer is whole."""


@dataclass(frozen=True)
class Source:
    """A file that was attached, or lies in an attached folder."""

    path: Path
    name: str
    """Relative to the input: `export.csv`, `project/data/q1.csv`."""
    kind: SourceKind
    told_as: str
    """What an account of the attached files calls it: in a folder, its path below that."""
    is_named: bool = True
    """It was attached itself; False for what lies in an attached folder."""

    @classmethod
    def of(
        cls,
        path: Path,
        name: str | None = None,
        told_as: str | None = None,
        *,
        is_named: bool = True,
    ) -> "Source":
        """Return the source at `path`; its kind follows from the name's ending."""
        name = name or path.name
        return cls(path, name, _kind_of(path), told_as or name, is_named)

    def use(self, status: FileStatus, reason: str = "", *, must_mend: bool = False) -> FileUse:
        """Return what became of the file."""
        return FileUse(
            name=self.told_as,
            status=status,
            reason=reason,
            source=self.name,
            must_mend=must_mend,
        )

    @property
    def may_be_document(self) -> bool:
        """True if it may be a privacy notice in a form that is not read."""
        return self.path.suffix.casefold() in DOCUMENTS


@dataclass(frozen=True)
class Refused:
    """Something attached that cannot be opened as a file, or was not entered."""

    name: str
    told_as: str
    reason: Wording
    blocks: bool = True
    """False for folders that tools make: they hold nothing of the person's."""


def _kind_of(path: Path) -> SourceKind:
    ending = path.suffix.casefold() or path.name.casefold()
    kind: SourceKind = _KIND_OF.get(ending, "unknown")
    is_text = kind == "notice" or not path.suffix
    return "prose" if is_text and path.stem.casefold() in _PROSE_NAMES else kind


@dataclass(frozen=True)
class Gathered:
    """All files of what was attached, in the order of their names, and what was refused."""

    sources: tuple[Source, ...]
    refused: tuple[Refused, ...]


def gather(paths: Sequence[Path]) -> Gathered:
    """Return the files of `paths`; folders are entered."""
    sources: list[Source] = []
    refused: list[Refused] = []
    folders = [path for path in paths if path.is_dir()]
    others = [path.name for path in paths if path not in folders]
    is_plain = len(folders) == 1 and not any((folders[0] / name).exists() for name in others)
    for path, name in zip(paths, _distinct_names(paths), strict=True):
        if path.is_dir():
            found = _walk(_Folder(path, name, "" if is_plain else f"{path.name}/"))
        else:
            found = iter([_file(path, name, path.name, is_named=True)])
        for item in found:
            if isinstance(item, Refused):
                refused.append(item)
            elif len(sources) < MAX_FILES:
                sources.append(item)
            else:
                refused.append(Refused(name, path.name, _TOO_MANY))
                break
    return Gathered(tuple(sources), tuple(refused))


@dataclass(frozen=True)
class _Folder:
    """An attached folder, its name, and what an account puts before the paths of its files."""

    root: Path
    name: str
    told_before: str

    def names(self, path: Path) -> tuple[str, str]:
        """Return what findings, and an account of the files, call what lies at `path`."""
        inside = path.relative_to(self.root).as_posix()
        return f"{self.name}/{inside}", f"{self.told_before}{inside}"


def _walk(folder: _Folder) -> Iterator[Source | Refused]:
    unread: list[Refused] = []

    def note(error: OSError) -> None:
        place = Path(error.filename or folder.root)
        names = (folder.name, folder.root.name) if place == folder.root else folder.names(place)
        unread.append(Refused(*names, not_opened(error)))

    for where, folders, names in os.walk(folder.root, onerror=note):
        here = Path(where)
        linked = [each for each in folders if (here / each).is_symlink()]
        for each in sorted(_SKIPPED.intersection(folders)):
            yield Refused(*folder.names(here / each), _NOT_ENTERED, blocks=False)
        for each in sorted(linked):
            yield Refused(*folder.names(here / each), _IS_LINK)
        folders[:] = sorted(set(folders) - _SKIPPED - set(linked))
        for each in sorted(names):
            yield _file(here / each, *folder.names(here / each))
    yield from unread


def _file(path: Path, name: str, told_as: str, *, is_named: bool = False) -> Source | Refused:
    try:
        mode = (path.stat() if is_named else path.lstat()).st_mode
    except OSError as error:
        return Refused(name, told_as, not_opened(error))
    if stat.S_ISLNK(mode):
        return Refused(name, told_as, _IS_LINK)
    if not stat.S_ISREG(mode):
        return Refused(name, told_as, _NO_FILE)
    return Source.of(path, name, told_as, is_named=is_named)


def placed(path: str, folders: Sequence[Path]) -> str:
    """Return what findings call a file that another team names relative to an attached folder.

    A path that lies in none of `folders` stays as it is, an absolute one loses its folders.
    """
    if Path(path).is_absolute():
        inside = [each for each in folders if Path(path).is_relative_to(each)]
        path = Path(path).relative_to(inside[0]).as_posix() if inside else Path(path).name
    holding = [each for each in folders if os.path.lexists(each / path)]
    return f"{holding[0].name}/{path}" if len(holding) == 1 else path


def _distinct_names(paths: Sequence[Path]) -> list[str]:
    """Return the last part of each path, with as many parts before it as tell them apart."""
    parts = [path.absolute().parts for path in paths]
    size = [1] * len(parts)
    while True:
        names = ["/".join(each[-count:]) for each, count in zip(parts, size, strict=True)]
        double = {name for name, count in Counter(names).items() if count > 1}
        longer = [
            count + (name in double and count < len(each) - 1)
            for each, count, name in zip(parts, size, names, strict=True)
        ]
        if longer == size:
            return names
        size = longer
