"""Which attached files declare libraries, and what all of them name together."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from minerva_governance.core.dependencies.dependency import (
    TEXTS,
    Dependencies,
    Dependency,
    Reading,
    ShapeError,
    merged,
    shown,
)
from minerva_governance.core.dependencies.node_manifest import read_package, read_package_lock
from minerva_governance.core.dependencies.python_manifest import (
    read_metadata,
    read_pipfile_lock,
    read_requirements,
    read_tables,
)
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.reading.manifest_name import ManifestKind, manifest_kind
from minerva_governance.core.reading.problem import UnreadableError
from minerva_governance.core.reading.source import Source
from minerva_governance.core.reading.text_file import read_text
from minerva_platform.text import Language

MAX_BYTES: Final = 32 * 1024 * 1024
"""A lock of 10,000 packages has about 6 MiB."""

Reader = Callable[[str], Reading]


@dataclass
class ManifestScan:
    """What was found, file by file, and what of it was not read."""

    language: Language
    manifests: list[str] = field(default_factory=list[str])
    _found: list[tuple[Dependency, bool]] = field(default_factory=list[tuple[Dependency, bool]])
    _elsewhere: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def read(self, source: Source) -> list[str]:
        """Read a manifest; return a sentence for each part not read.

        Raises:
            UnreadableError: it cannot be opened, or is no manifest of its kind.
        """
        kind = manifest_kind(source.path)
        if kind is None:
            raise UnreadableError(reason="no_manifest")
        text = read_text(source.path, limit=MAX_BYTES)
        try:
            reading = _READERS[kind](text)
        except (ShapeError, RecursionError):
            raise UnreadableError(reason="no_manifest") from None
        if reading.bad_lines and not reading.entries:  # a text that only has such a name
            raise UnreadableError(reason="no_manifest")
        name = mask_text(source.name)
        self.manifests.append(name)
        for entry in reading.entries:
            one = Dependency(
                ecosystem=entry.ecosystem,
                name=mask_text(entry.name),
                version=mask_text(entry.version),
                licence=mask_text(entry.licence)[:_MAX_LICENCE_CHARACTERS],
                source=name,
                line=entry.line,
            )
            self._found.append((one, reading.is_lock))
        folder = PurePosixPath(source.name).parent
        self._elsewhere[source.name] = [_joined(folder, each) for each in reading.elsewhere]
        return list(self._unread(reading))

    def missing(self, sources: Sequence[Source]) -> Iterator[tuple[str, str]]:
        """Give the files that refer to others which were not attached, and a sentence on it."""
        names = {source.name for source in sources if source.kind == "manifest"}
        for name, others in self._elsewhere.items():
            gone = [mask_text(other) for other in others if other not in names]
            if gone:
                listed = ", ".join(shown(gone))
                yield (
                    mask_text(name),
                    TEXTS("unread.elsewhere", self.language, names=listed),
                )

    def dependencies(self) -> Dependencies:
        """Return all libraries, each once."""
        return Dependencies(manifests=tuple(self.manifests), libraries=merged(self._found))

    def _unread(self, reading: Reading) -> Iterator[str]:
        if reading.bad_lines:
            lines = ", ".join(shown(reading.bad_lines))
            yield TEXTS("unread.lines", self.language, lines=lines)
        if reading.is_computed:
            yield TEXTS("unread.computed", self.language)


_MAX_LICENCE_CHARACTERS: Final = 200
"""Of what a file says of a licence; no SPDX expression in use is longer."""


def _joined(folder: PurePosixPath, path: str) -> str:
    """Return `path` from `folder`, with `..` taken back; nothing is opened by it."""
    parts = list(folder.parts)
    for part in PurePosixPath(path).parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


_READERS: Final[dict[ManifestKind, Reader]] = {
    "requirements": read_requirements,
    "tables": read_tables,
    "pipfile_lock": read_pipfile_lock,
    "package": read_package,
    "package_lock": read_package_lock,
    "metadata": read_metadata,
}
