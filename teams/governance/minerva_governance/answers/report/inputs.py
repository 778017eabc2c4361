"""What became of each file of the input: read, read in part, or not read."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from minerva_governance.answers.report.document import FileStanding, Input, InputKind
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.reading.source_files import FileUse, InputFiles, Source
from minerva_governance.core.review.unreviewed import Unreviewed

_KINDS: dict[str, InputKind] = {
    "policy": "policy", "notice": "notice", "markup": "notice", "schema": "schema",
    "data": "data", "code": "code", "manifest": "libraries",
}  # fmt: skip


def inputs_of(
    files: InputFiles,
    uses: Iterable[FileUse],
    unreviewed_parts: Sequence[Unreviewed],
    schemas: Iterable[str],
) -> tuple[Input, ...]:
    """Return every file of the input in the order of its name.

    `uses` says what became of files; code is in it only where the code search did not take it.
    `schemas` are the sources of schemas, which a YAML file may be, too.
    """
    use_by_source = {use.source: use for use in uses if use.source}
    inputs = [
        Input(name=mask_text(each.name), kind="other", standing="not_read", why=each.reason)
        for each in files.refused
    ]
    inputs += _sources(files, use_by_source, unreviewed_parts, frozenset(schemas))
    first = {mask_text(each.name) for each in files.refused if each.is_bound}
    return tuple(sorted(inputs, key=lambda each: (each.name not in first, each.name)))


def _sources(
    files: InputFiles,
    use_by_source: dict[str, FileUse],
    unreviewed_parts: Sequence[Unreviewed],
    schemas: frozenset[str],
) -> Iterator[Input]:
    for source in files.sources:
        name, use = mask_text(source.name), use_by_source.get(source.name)
        parts = dict.fromkeys(each.reason for each in unreviewed_parts if _is_part(each.name, name))
        kind = _kind(source, use, is_schema=source.name in schemas)
        standing: FileStanding = "partly" if parts else "read"
        why = " ".join(parts)
        if use is not None and use.status != "used":
            standing, why = "not_read", use.reason
        elif parts and kind == "code":  # a file of code is parsed as a whole, or not at all
            standing = "not_read"
        yield Input(name=name, kind=kind, standing=standing, why=why, sha256=_sha256(source.path))


def _sha256(path: Path) -> str:
    """Return the hash of a file's bytes; nothing if it cannot be read, which is said elsewhere."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _is_part(part: str, name: str) -> bool:
    """True if what was not reviewed is the file, a line of it, or a table in it."""
    return part.startswith(name) and not part[len(name) : len(name) + 1].isalnum()


def _kind(source: Source, use: FileUse | None, *, is_schema: bool) -> InputKind:
    if is_schema:
        return "schema"
    if source.kind == "markup" and (use is None or use.status != "used"):
        return "code"
    is_document = source.kind in {"policy", "notice"}
    if is_document and (use is None or use.status == "not_understood"):
        return "other"
    return _KINDS.get(source.kind, "other")
