"""Which attached files declare libraries, and what all of them name together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from minerva_governance.core.dependencies.dependency import (
    TEXTS,
    Dependencies,
    Dependency,
    merge_dependencies,
    shown,
)
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.reading.source_files import Source
from minerva_platform.text import Language
from minerva_reading import Manifest, read_manifests


@dataclass
class ManifestScan:
    """What was found, file by file, and what of it was not read."""

    language: Language
    manifests: list[str] = field(default_factory=list[str])
    _entries: list[tuple[Dependency, bool]] = field(default_factory=list[tuple[Dependency, bool]])
    _elsewhere: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def read_manifest(self, source: Source) -> list[str]:
        """Read a manifest; return a sentence for each part not read.

        Raises:
            UnreadableError: it cannot be opened, or is no manifest of its kind.
        """
        manifest = read_manifests(source.path)
        name = mask_text(source.name)
        self.manifests.append(name)
        for entry in manifest.entries:
            one = Dependency(
                ecosystem=entry.ecosystem,
                name=mask_text(entry.name),
                version=mask_text(entry.version),
                licence=mask_text(entry.licence)[:_MAX_LICENCE_CHARACTERS],
                source=name,
                line=entry.line,
            )
            self._entries.append((one, manifest.is_lock))
        folder = PurePosixPath(source.name).parent
        self._elsewhere[source.name] = [_join(folder, each) for each in manifest.elsewhere]
        return list(self._unread(manifest))

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
        return Dependencies(
            manifests=tuple(self.manifests), libraries=merge_dependencies(self._entries)
        )

    def _unread(self, manifest: Manifest) -> Iterator[str]:
        if manifest.bad_lines:
            lines = ", ".join(shown(manifest.bad_lines))
            yield TEXTS("unread.lines", self.language, lines=lines)
        if manifest.is_computed:
            yield TEXTS("unread.computed", self.language)


_MAX_LICENCE_CHARACTERS: Final = 200
"""Of what a file says of a licence; no SPDX expression in use is longer."""


def _join(folder: PurePosixPath, path: str) -> str:
    """Return `path` from `folder`, with `..` taken back; nothing is opened by it."""
    parts = list(folder.parts)
    for part in PurePosixPath(path).parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)
