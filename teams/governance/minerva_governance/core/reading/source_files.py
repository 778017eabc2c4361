"""Every file of what was attached, with a name of its own and a guess of what it holds.

Folders are entered, links are not followed. A name begins with the attached file's or folder's own
name, so that it says nothing about the machine.
"""

import os
import stat
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel

from minerva_governance.core.reading.problem import TEXTS
from minerva_platform.text import Language, masked_name, read_words, real_path
from minerva_reading import manifest_kind, not_opened

_SPACES: Final = "Zs"
"""Spaces of other widths, as Korean and Japanese have them, show as what they are."""
MAX_FILES: Final = 2_000
"""Files of all attached folders together that are looked at; beyond them, so many that may say what
the others have to keep: a policy, a notice, a schema."""

SourceKind = Literal[
    "policy", "notice", "schema", "data", "code", "markup", "prose", "manifest", "unknown"
]
"""What a file may hold, by its name alone."""

_DOCUMENTS: Final[frozenset[SourceKind]] = frozenset({"policy", "notice", "schema", "markup"})

FileStatus = Literal["used", "unreadable", "not_understood"]

_WORDS = read_words("minerva_governance.core.reading", "file_kinds")
_KINDS: Final[tuple[SourceKind, ...]] = (
    *("policy", "notice", "schema", "data", "code", "markup", "prose"),
)


class FileUse(BaseModel, frozen=True):
    """What became of an attached file; `reason` is a clause in the language of the review."""

    name: str
    """As `Source.told_as` has it."""
    status: FileStatus
    reason: str = ""
    source: str = ""
    """What findings call the file."""
    must_mend: bool = False
    """The person has to mend it before the answer is whole."""
    title: str = ""
    """What a privacy notice calls itself."""


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
        told_as = _shown(told_as or name)
        return cls(path, _shown(name), _kind_of(path), told_as, is_named)

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
        return self.path.suffix.casefold() in _WORDS["documents"]


@dataclass(frozen=True)
class RefusedItem:
    """Something attached that cannot be opened as a file, or was not entered."""

    name: str
    told_as: str
    reason: str
    blocks: bool = True
    """False for folders that tools make: they hold nothing of the person's."""
    is_bound: bool = False
    """True for the files beyond `MAX_FILES`, which is told first."""

    def __post_init__(self) -> None:
        """Write names out as those of files are."""
        object.__setattr__(self, "name", _shown(self.name))
        object.__setattr__(self, "told_as", _shown(self.told_as))


def _shown(name: str) -> str:
    """Return a path as it is told: masked as other teams mask it, and nothing hidden in it."""
    return visible(masked_name(name))


@cache
def _kind_of_endings() -> dict[str, SourceKind]:
    return {ending: kind for kind in _KINDS for ending in _WORDS[kind]}


def _kind_of(path: Path) -> SourceKind:
    if manifest_kind(path) is not None:
        return "manifest"
    ending = path.suffix.casefold() or path.name.casefold()
    kind = _kind_of_endings().get(ending, "unknown")
    is_text = kind == "notice" or not path.suffix
    return "prose" if is_text and path.stem.casefold() in _WORDS["prose_names"] else kind


@dataclass(frozen=True)
class InputFiles:
    """All files of what was attached, in the order of their names, and what was refused."""

    sources: tuple[Source, ...]
    refused: tuple[RefusedItem, ...]


def gather(paths: Sequence[Path], *, language: Language = "en") -> InputFiles:
    """Return the files of `paths`; folders are entered. Reasons are in `language`."""
    sources: list[Source] = []
    refused: list[RefusedItem] = []
    documents, beyond = 0, dict[str, str]()
    folders = [path for path in paths if path.is_dir()]
    others = [path.name for path in paths if path not in folders]
    is_plain = len(folders) == 1 and not any((folders[0] / name).exists() for name in others)
    for path, name in zip(paths, _names_of(paths), strict=True):
        if path.is_dir():
            found = _walk(_Folder(path, name, "" if is_plain else f"{path.name}/", language))
        else:
            found = iter([_file(path, name, path.name, language, is_named=True)])
        for item in found:
            if isinstance(item, RefusedItem):
                refused.append(item)
            elif len(sources) < MAX_FILES:
                sources.append(item)
            elif item.kind in _DOCUMENTS and documents < MAX_FILES:
                sources.append(item)
                documents += 1
            else:
                beyond[path.name] = name or path.name
    reason = TEXTS("refused.many_files", language, limit=MAX_FILES)
    cut_files = (
        RefusedItem(name, told_as, reason, is_bound=True) for told_as, name in beyond.items()
    )
    return InputFiles(tuple(sources), (*cut_files, *refused))


@dataclass(frozen=True)
class _Folder:
    """An attached folder, its name, and what an account puts before the paths of its files."""

    root: Path
    name: str
    told_before: str
    language: Language

    def names(self, path: Path) -> tuple[str, str]:
        """Return what findings, and an account of the files, call what lies at `path`."""
        inside = path.relative_to(self.root).as_posix()
        return _below(self.name, inside), f"{self.told_before}{inside}"


def _walk(folder: _Folder) -> Iterator[Source | RefusedItem]:
    unread: list[RefusedItem] = []
    language = folder.language
    skipped = frozenset(_WORDS["skipped_folders"])

    def note(error: OSError) -> None:
        place = Path(error.filename or folder.root)
        names = (
            (folder.name or folder.root.name, folder.root.name)
            if place == folder.root
            else folder.names(place)
        )
        unread.append(RefusedItem(*names, not_opened(error).describe(language)))

    for where, folders, names in os.walk(folder.root, onerror=note):
        here = Path(where)
        linked = [each for each in folders if (here / each).is_symlink()]
        for each in sorted(skipped.intersection(folders)):
            rows = _rows_in(here / each)
            key = "refused.rows_in_tool_folder" if rows else "refused.tool_folder"
            reason = TEXTS(key, language, name=rows)
            yield RefusedItem(*folder.names(here / each), reason, blocks=bool(rows))
        for each in sorted(linked):
            yield RefusedItem(*folder.names(here / each), TEXTS("refused.link", language))
        folders[:] = sorted(set(folders) - skipped - set(linked))
        for each in sorted(names):
            yield _file(here / each, *folder.names(here / each), language)
    yield from unread


def _rows_in(folder: Path) -> str:
    """Return a file of rows in a tool's folder that is of no installed package, or ""."""
    for where, folders, names in os.walk(folder):
        packages = [each for each in folders if (Path(where, each) / "package.json").is_file()]
        folders[:] = sorted(set(folders).difference(packages, _WORDS["installed"]))
        rows = [each for each in sorted(names) if Path(each).suffix.casefold() in _WORDS["rows"]]
        if rows:
            return masked_name(rows[0])
    return ""


def _file(
    path: Path, name: str, told_as: str, language: Language, *, is_named: bool = False
) -> Source | RefusedItem:
    try:
        mode = (path.stat() if is_named else path.lstat()).st_mode
    except OSError as error:
        return RefusedItem(name, told_as, not_opened(error).describe(language))
    if stat.S_ISLNK(mode):
        return RefusedItem(name, told_as, TEXTS("refused.link", language))
    if not stat.S_ISREG(mode):
        return RefusedItem(name, told_as, TEXTS("refused.no_file", language))
    return Source.of(path, name, told_as, is_named=is_named)


def placed(path: str, paths: Sequence[Path]) -> str:
    """Return what findings call a file that another team names relative to an attached folder.

    `paths` is all that was attached. A path that lies in none of its folders stays as it is, an
    absolute one loses its folders.
    """
    names = dict(zip(paths, _names_of(paths), strict=True))
    folders = [each for each in paths if each.is_dir()]
    if Path(path).is_absolute():
        inside = [each for each in folders if Path(path).is_relative_to(each)]
        path = Path(path).relative_to(inside[0]).as_posix() if inside else Path(path).name
    holding = [each for each in folders if os.path.lexists(real_path(each / path))]
    return _below(names[holding[0]], path) if len(holding) == 1 else path


def _below(name: str, inside: str) -> str:
    return f"{name}/{inside}" if name else inside


def _names_of(paths: Sequence[Path]) -> list[str]:
    """Return what stands before the files of each path; a folder that is the whole input has none.

    So a finding has one name, whether a folder is attached or what lies in it, part by part.
    """
    folders = [path for path in paths if path.is_dir()]
    beside = len({path.absolute().parent for path in paths}) == 1 and len(paths) > 1
    names = _distinct_names(paths)
    if beside or len(folders) != 1:
        return names
    others = [name for path, name in zip(paths, names, strict=True) if path not in folders]
    if any(os.path.lexists(folders[0] / name) for name in others):
        return names
    return ["" if path in folders else name for path, name in zip(paths, names, strict=True)]


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


def visible(text: str, *, keeps: str = "") -> str:
    r"""Return `text` with characters that do not show written out: `\n`, `\u202e`, `\udcff`.

    A line break in a file's name, a colour code, or a sign that turns the direction of writing
    would let one thing look like another. Bytes that are no text would keep a report from being
    written.

    `keeps` are let through. A tab becomes a space.
    """
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() or each in keeps else _written_out(each) for each in text
    )


def _written_out(character: str) -> str:
    if character == "\t":
        return " "
    if unicodedata.category(character) == _SPACES:
        return character
    return character.encode("unicode_escape").decode("ascii")
