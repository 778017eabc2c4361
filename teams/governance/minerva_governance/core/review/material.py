"""Read everything that is under review: data files, schemas, and what cannot be read.

A file that is not understood makes each rule that it could break `not_evaluated`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from minerva_governance.core.detection.file_scan import scan_files
from minerva_governance.core.detection.inventory import schema_promises
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.detection.table_scan import DataScan
from minerva_governance.core.policy.policy import TargetKind
from minerva_governance.core.reading.data_table import DEFAULT_MAX_BYTES
from minerva_governance.core.reading.problem import UnreadableError
from minerva_governance.core.reading.schema_file import Schema, read_schema
from minerva_governance.core.reading.source import FileStatus, FileUse, Gathered, Refused, Source
from minerva_governance.core.review.notice import looks_like_notice
from minerva_governance.core.review.review import TEXTS
from minerva_governance.core.review.unreviewed import MATERIAL, Unreviewed
from minerva_platform.text import Language

_CODE: frozenset[TargetKind] = frozenset({"code_use"})
_DECLARED: frozenset[TargetKind] = frozenset({"column", "table"})
_SEARCHED = frozenset({".py", ".pyi", ".pyw"})
"""Code that the code search parses; in other code it finds no output of values."""


@dataclass
class Material:
    """What was read, what became of each file, and what was not looked at."""

    scans: list[DataScan] = field(default_factory=list[DataScan])
    schemas: list[Schema] = field(default_factory=list[Schema])
    uses: list[FileUse] = field(default_factory=list[FileUse])
    unreviewed: list[Unreviewed] = field(default_factory=list[Unreviewed])
    notes: list[str] = field(default_factory=list[str])
    """What was left out and can break no rule."""


def read_material(
    gathered: Gathered,
    documents: Iterable[FileUse],
    *,
    language: Language,
    code_was_searched: bool,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> Material:
    """Read the files of `gathered`; `documents` says what became of policies and notices."""
    found = Material()
    reader = _Reader(found, {use.source: use for use in documents}, language, code_was_searched)
    for refused in gathered.refused:
        reader.refuse(refused)
    # Data comes last: a schema's comments say what its columns hold.
    data: list[Source] = []
    for source in gathered.sources:
        if source.kind == "data":
            data.append(source)
        else:
            reader.read(source)
    scanned = scan_files(
        data, promises=schema_promises(found.schemas), language=language, max_bytes=max_bytes
    )
    found.scans += scanned.scans
    found.uses += scanned.uses
    found.unreviewed += scanned.unreviewed
    return found


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


class _Reader:
    """Reads the files that hold no rows, one by one."""

    def __init__(
        self,
        found: Material,
        documents: dict[str, FileUse],
        language: Language,
        code_was_searched: bool,  # noqa: FBT001  # a private class
    ) -> None:
        self.found, self.documents = found, documents
        self.language: Language = language
        self.code_was_searched = code_was_searched

    def refuse(self, refused: Refused) -> None:
        reason, name = refused.reason, mask_text(refused.name)
        status: FileStatus = "unreadable" if refused.blocks else "not_understood"
        self.found.uses.append(FileUse(name=refused.told_as, status=status, reason=reason))
        if refused.blocks:
            self.found.unreviewed.append(
                Unreviewed(name=name, kinds=MATERIAL | _CODE, reason=reason)
            )
        else:
            self.found.notes.append(f"{name}: {reason}")

    def read(self, source: Source) -> None:
        match source.kind:
            case "policy" | "notice":
                self._document(source)
            case "schema":
                self._schema(source)
            case "code" | "markup":
                self._code(source)
            case "prose":
                self._told(source, TEXTS("unreviewed.configuration", self.language))
            case _:
                reason = TEXTS("unreviewed.unknown", self.language)
                self._leave_unreviewed(source, reason, MATERIAL)
                self._told(source, reason)

    def _document(self, source: Source) -> None:
        """Take over what became of a policy or notice; a text that is none may hold anything."""
        use = self.documents.get(source.name)
        if use is None:
            self._told(source, TEXTS("unreviewed.configuration", self.language))
            return
        self.found.uses.append(use.model_copy(update={"name": source.told_as}))
        if source.kind == "policy" or use.status == "used":
            return
        reason = TEXTS("unreviewed.no_notice", self.language)
        if source.may_be_document:
            self._leave_unreviewed(source, reason, MATERIAL)
        elif use.status == "unreadable":  # it may state how long data is kept
            self._leave_unreviewed(source, reason, frozenset({"table"}))

    def _schema(self, source: Source) -> None:
        try:
            schema = read_schema(source, language=self.language)
        except UnreadableError as error:
            reason = error.told(self.language)
            self._leave_unreviewed(source, reason, MATERIAL)
            self._told(source, reason, unreadable=True)
            return
        self.found.schemas.append(schema)
        for problem in schema.problems:
            name = mask_text(f"{problem.file}:{problem.line}")
            part = Unreviewed(name=name, kinds=_DECLARED, reason=mask_text(problem.message))
            self.found.unreviewed.append(part)
        if schema.columns:
            self.found.uses.append(source.use("used"))
        else:
            self.found.uses.append(source.use("not_understood", schema.problems[0].message))

    def _code(self, source: Source) -> None:
        """Note code that the code search does not see; markup may be a notice as well."""
        is_searched = source.path.suffix.casefold() in _SEARCHED
        not_searched = TEXTS("unreviewed.not_searched", self.language)
        if not is_searched:
            self._leave_unreviewed(source, not_searched, _CODE)
        if source.kind == "markup" and looks_like_notice(source):
            reason = TEXTS("unreviewed.no_notice", self.language)
            self._leave_unreviewed(source, reason, MATERIAL)
            self._told(source, reason)
        elif not self.code_was_searched:
            self._told(source, TEXTS("unreviewed.code_only", self.language))
        elif not is_searched:
            self._told(source, not_searched)

    def _told(self, source: Source, reason: str, *, unreadable: bool = False) -> None:
        status: FileStatus = "unreadable" if unreadable else "not_understood"
        self.found.uses.append(source.use(status, reason))

    def _leave_unreviewed(self, source: Source, reason: str, kinds: frozenset[TargetKind]) -> None:
        may_be_notice = "column" in kinds and source.may_be_document
        self.found.unreviewed.append(
            Unreviewed(
                name=mask_text(source.name),
                kinds=kinds,
                reason=reason,
                may_be_notice=may_be_notice or source.kind == "notice",
            )
        )
