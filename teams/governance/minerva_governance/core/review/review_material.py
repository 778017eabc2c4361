"""Read everything that is under review: data files, schemas, and what cannot be read.

A file that is not understood makes each rule that it could break `not_evaluated`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from minerva_governance.core.data_contracts.contract_file import kind_of_contract, read_contract
from minerva_governance.core.dependencies.dependency import Dependencies
from minerva_governance.core.dependencies.manifest_file import ManifestScan
from minerva_governance.core.detection.data_file_scan import scan_files
from minerva_governance.core.detection.inventory import schema_promises
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.detection.table_scan import DataScan, scan_data
from minerva_governance.core.policy.policy import TargetKind
from minerva_governance.core.reading.declaration import Schema
from minerva_governance.core.reading.schema_file import ScriptRows, read_schema_and_rows
from minerva_governance.core.reading.source_files import (
    FileStatus,
    FileUse,
    InputFiles,
    RefusedItem,
    Source,
)
from minerva_governance.core.review.notice import looks_like_notice
from minerva_governance.core.review.review import TEXTS
from minerva_governance.core.review.unreviewed import MATERIAL, Unreviewed
from minerva_platform.text import Language
from minerva_reading import UnreadableError, is_unread_manifest

_CODE: frozenset[TargetKind] = frozenset({"code_use"})
_LIBRARIES: frozenset[TargetKind] = frozenset({"dependency"})
_DECLARED: frozenset[TargetKind] = frozenset({"column", "table"})
_SEARCHED = frozenset({".py", ".pyi", ".pyw"})
"""Code that the code search parses; in other code it finds no output of values."""


@dataclass
class Material:
    """What was read, what became of each file, and what was not looked at."""

    scans: list[DataScan] = field(default_factory=list[DataScan])
    schemas: list[Schema] = field(default_factory=list[Schema])
    dependencies: Dependencies = field(default_factory=Dependencies)
    uses: list[FileUse] = field(default_factory=list[FileUse])
    unreviewed_parts: list[Unreviewed] = field(default_factory=list[Unreviewed])
    notes: list[str] = field(default_factory=list[str])
    """What was left out and can break no rule."""


def read_material(
    files: InputFiles,
    documents: Iterable[FileUse],
    *,
    language: Language,
    code_was_searched: bool,
) -> Material:
    """Read `files`; `documents` says what became of policies and notices."""
    material = Material()
    reader = _Reader(material, {use.source: use for use in documents}, language, code_was_searched)
    reader.manifests = ManifestScan(language)
    for refused in files.refused:
        reader.refuse(refused)
    # Data comes last: a schema's comments say what its columns hold.
    data: list[Source] = []
    for source in files.sources:
        if source.kind == "data":
            data.append(source)
        else:
            reader.read_source(source)
    reader.finish_manifests(files.sources)
    material.scans += reader.scanned_rows()
    scan_result = scan_files(data, promises=schema_promises(material.schemas), language=language)
    material.scans += scan_result.scans
    material.uses += scan_result.uses
    material.unreviewed_parts += scan_result.unreviewed_parts
    return material


def unsearched_code(paths: Sequence[str], language: Language) -> list[Unreviewed]:
    """Return code files that the code search could not parse as unreviewed."""
    reason = TEXTS("unreviewed.unparsed_code", language)
    return [Unreviewed(name=mask_text(path), kinds=_CODE, reason=reason) for path in paths]


def unread_models(
    paths: Sequence[str], language: Language, *, shown: int = 0, total: int = 0
) -> list[Unreviewed]:
    """Return what may declare more columns: code that did not parse, and fields that were cut."""
    reason = TEXTS("unreviewed.unparsed_models", language)
    found = [Unreviewed(name=mask_text(path), kinds=_DECLARED, reason=reason) for path in paths]
    if shown < total:
        reason = TEXTS("unreviewed.more_models", language, shown=shown, total=total)
        found.append(Unreviewed(name="code", kinds=_DECLARED, reason=reason))
    return found


class _SchemaReader(Protocol):
    """Reads a file that declares tables."""

    def __call__(self, source: Source, *, language: Language) -> Schema: ...


class _Reader:
    """Reads the files that hold no rows, one by one."""

    def __init__(
        self,
        material: Material,
        documents: dict[str, FileUse],
        language: Language,
        code_was_searched: bool,  # noqa: FBT001  # a private class
    ) -> None:
        self.material, self.documents = material, documents
        self.language: Language = language
        self.code_was_searched = code_was_searched
        self.manifests = ManifestScan(language)
        self.inserted_rows: list[ScriptRows] = []

    def refuse(self, refused: RefusedItem) -> None:
        reason, name = refused.reason, mask_text(refused.name)
        status: FileStatus = "unreadable" if refused.blocks else "not_understood"
        self.material.uses.append(FileUse(name=refused.told_as, status=status, reason=reason))
        if refused.blocks:
            self.material.unreviewed_parts.append(
                Unreviewed(name=name, kinds=MATERIAL | _CODE | _LIBRARIES, reason=reason)
            )
        else:
            self.material.notes.append(f"{name}: {reason}")

    def finish_manifests(self, sources: Sequence[Source]) -> None:
        """Take over the libraries, once all files that name some were read."""
        for name, reason in self.manifests.missing(sources):
            self.material.unreviewed_parts.append(
                Unreviewed(name=name, kinds=_LIBRARIES, reason=reason)
            )
        self.material.dependencies = self.manifests.dependencies()

    def read_source(self, source: Source) -> None:
        if is_unread_manifest(source.path):
            reason = TEXTS("unreviewed.manifest", self.language)
            self._leave_unreviewed(source, reason, _LIBRARIES)
        match source.kind:
            case "manifest":
                self._manifest(source)
            case "policy" if kind := kind_of_contract(source):
                self._schema(source, partial(read_contract, kind=kind))
            case "markup" if source.name in self.documents:
                self._document(source)
            case "policy" | "notice":
                self._document(source)
            case "schema":
                self._schema(source, self._read_script)
            case "code" | "markup":
                self._code(source)
            case "prose":
                self._note_use(source, TEXTS("unreviewed.configuration", self.language))
            case _:
                reason = TEXTS("unreviewed.unknown", self.language)
                self._leave_unreviewed(source, reason, MATERIAL)
                self._note_use(source, reason)

    def _document(self, source: Source) -> None:
        """Take over what became of a policy or notice; a text that is none may hold anything."""
        use = self.documents.get(source.name)
        if use is None:
            self._note_use(source, TEXTS("unreviewed.configuration", self.language))
            return
        self.material.uses.append(use.model_copy(update={"name": source.told_as}))
        if source.kind == "policy" or use.status == "used":
            return
        reason = TEXTS("unreviewed.no_notice", self.language)
        if source.may_be_document:
            self._leave_unreviewed(source, reason, MATERIAL)
        elif use.status == "unreadable":  # it may state how long data is kept
            self._leave_unreviewed(source, reason, frozenset({"table"}))

    def _schema(self, source: Source, reader: "_SchemaReader") -> None:
        try:
            schema = reader(source, language=self.language)
        except UnreadableError as error:
            reason = error.describe(self.language)
            self._leave_unreviewed(source, reason, MATERIAL)
            self._note_use(source, reason, unreadable=True)
            return
        self.material.schemas.append(schema)
        for problem in schema.problems:
            name = mask_text(f"{problem.file}:{problem.line}")
            part = Unreviewed(name=name, kinds=_DECLARED, reason=mask_text(problem.message))
            self.material.unreviewed_parts.append(part)
        if schema.columns or not schema.problems:  # a script that only inserts rows declares none
            self.material.uses.append(source.use("used"))
        else:
            self.material.uses.append(source.use("not_understood", schema.problems[0].message))

    def _manifest(self, source: Source) -> None:
        """Read the libraries; a file that only has such a name may hold anything."""
        try:
            unread = self.manifests.read_manifest(source)
        except UnreadableError as error:
            reason = error.describe(self.language)
            self._leave_unreviewed(source, reason, MATERIAL | _LIBRARIES)
            self._note_use(source, reason, unreadable=True)
            return
        for reason in unread:
            self._leave_unreviewed(source, reason, _LIBRARIES)
        self.material.uses.append(source.use("used"))

    def _read_script(self, source: Source, *, language: Language) -> Schema:
        """Read DDL, and keep its rows until all comments are known."""
        schema, rows = read_schema_and_rows(source, language=language)
        self.inserted_rows += rows
        return schema

    def scanned_rows(self) -> list[DataScan]:
        """Look at the rows that scripts insert."""
        promises = schema_promises(self.material.schemas)
        scans = [
            scan_data(rows, promises=promises, language=self.language)
            for rows in self.inserted_rows
        ]
        return [scan.model_copy(update={"is_dataset": False}) for scan in scans]

    def _code(self, source: Source) -> None:
        """Note code that the code search does not see; markup may be a notice as well."""
        is_searched = source.path.suffix.casefold() in _SEARCHED
        not_searched = TEXTS("unreviewed.not_searched", self.language)
        if not is_searched:
            self._leave_unreviewed(source, not_searched, _CODE)
        if source.kind == "markup" and looks_like_notice(source):
            reason = TEXTS("unreviewed.no_notice", self.language)
            self._leave_unreviewed(source, reason, MATERIAL)
            self._note_use(source, reason)
        elif not self.code_was_searched:
            self._note_use(source, TEXTS("unreviewed.code_only", self.language))
        elif not is_searched:
            self._note_use(source, not_searched)

    def _note_use(self, source: Source, reason: str, *, unreadable: bool = False) -> None:
        status: FileStatus = "unreadable" if unreadable else "not_understood"
        self.material.uses.append(source.use(status, reason))

    def _leave_unreviewed(self, source: Source, reason: str, kinds: frozenset[TargetKind]) -> None:
        may_be_notice = "column" in kinds and source.may_be_document
        self.material.unreviewed_parts.append(
            Unreviewed(
                name=mask_text(source.name),
                kinds=kinds,
                reason=reason,
                may_be_notice=may_be_notice or source.kind == "notice",
            )
        )
