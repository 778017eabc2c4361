"""Read everything that is under review: data files, schemas, and what cannot be read.

A file that is not understood makes each rule that it could break `not_evaluated`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from minerva_governance.core.detection.inventory import DataScan, schema_promises
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.detection.scan import scan_files
from minerva_governance.core.policy.rule import TargetKind
from minerva_governance.core.reading.data_table import DEFAULT_MAX_BYTES
from minerva_governance.core.reading.schema_file import Schema, read_schema
from minerva_governance.core.reading.source import FileStatus, FileUse, Gathered, Refused, Source
from minerva_governance.core.report.wording import Language, UnreadableError, Wording
from minerva_governance.core.review.notice import looks_like_notice
from minerva_governance.core.review.unseen import MATERIAL, Unseen

_CODE: frozenset[TargetKind] = frozenset({"code_use"})
_DECLARED: frozenset[TargetKind] = frozenset({"column", "table"})
_SEARCHED = frozenset({".py", ".pyi", ".pyw"})
"""Code that the code search parses; in other code it finds no output of values."""

_UNKNOWN = Wording("이 형식은 읽지 못합니다.", "such files are not read.")
_NOT_SEARCHED = Wording(
    "이 언어의 코드에서는 출력을 찾지 못합니다.",
    "output of values is not searched for in such code.",
)
_CODE_ONLY = Wording("코드라서 코드 검색만 봅니다.", "code, which only the code search reads.")
_UNPARSED = Wording("코드를 해석하지 못했습니다.", "code that could not be parsed.")
_CONFIGURATION = Wording(
    "설정이나 설명 문서라서 점검하지 않았습니다.",
    "settings or documentation, which is not reviewed.",
)
_NO_NOTICE = Wording(
    "처리방침으로 읽히지 않은 문서입니다.", "a document that is not read as a notice."
)


@dataclass
class Material:
    """What was read, what became of each file, and what was not looked at."""

    scans: list[DataScan] = field(default_factory=list[DataScan])
    schemas: list[Schema] = field(default_factory=list[Schema])
    uses: list[FileUse] = field(default_factory=list[FileUse])
    unseen: list[Unseen] = field(default_factory=list[Unseen])
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
    found.unseen += scanned.unseen
    return found


def unsearched_code(paths: Sequence[str], language: Language) -> list[Unseen]:
    """Return code files that the code search could not parse as unseen."""
    reason = _UNPARSED.said_in(language)
    return [Unseen(name=mask_text(path), kinds=_CODE, reason=reason) for path in paths]


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
        reason = refused.reason.said_in(self.language)
        name = mask_text(refused.name)
        status: FileStatus = "unreadable" if refused.blocks else "not_understood"
        self.found.uses.append(FileUse(name=refused.told_as, status=status, reason=reason))
        if refused.blocks:
            self.found.unseen.append(Unseen(name=name, kinds=MATERIAL | _CODE, reason=reason))
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
                self._told(source, _CONFIGURATION)
            case _:
                self._unseen(source, _UNKNOWN, MATERIAL)
                self._told(source, _UNKNOWN)

    def _document(self, source: Source) -> None:
        """Take over what became of a policy or notice; a text that is none may hold anything."""
        use = self.documents.get(source.name)
        if use is None:
            self._told(source, _CONFIGURATION)
            return
        self.found.uses.append(use.model_copy(update={"name": source.told_as}))
        if source.kind == "policy" or use.status == "used":
            return
        if source.may_be_document:
            self._unseen(source, _NO_NOTICE, MATERIAL)
        elif use.status == "unreadable":
            self._unseen(source, _NO_NOTICE, frozenset({"table"}))

    def _schema(self, source: Source) -> None:
        try:
            schema = read_schema(source, language=self.language)
        except UnreadableError as error:
            self._unseen(source, error.reason, MATERIAL)
            self._told(source, error.reason, unreadable=True)
            return
        self.found.schemas.append(schema)
        for problem in schema.problems:
            name = mask_text(f"{problem.file}:{problem.line}")
            part = Unseen(name=name, kinds=_DECLARED, reason=mask_text(problem.message))
            self.found.unseen.append(part)
        if schema.columns:
            self.found.uses.append(source.use("used"))
        else:
            self.found.uses.append(source.use("not_understood", schema.problems[0].message))

    def _code(self, source: Source) -> None:
        """Note code that the code search does not see; markup may be a notice as well."""
        is_searched = source.path.suffix.casefold() in _SEARCHED
        if not is_searched:
            self._unseen(source, _NOT_SEARCHED, _CODE)
        if source.kind == "markup" and looks_like_notice(source):
            self._unseen(source, _NO_NOTICE, MATERIAL)
            self._told(source, _NO_NOTICE)
        elif not self.code_was_searched:
            self._told(source, _CODE_ONLY)
        elif not is_searched:
            self._told(source, _NOT_SEARCHED)

    def _told(self, source: Source, reason: Wording, *, unreadable: bool = False) -> None:
        status: FileStatus = "unreadable" if unreadable else "not_understood"
        self.found.uses.append(source.use(status, reason.said_in(self.language)))

    def _unseen(self, source: Source, reason: Wording, kinds: frozenset[TargetKind]) -> None:
        may_be_notice = "column" in kinds and source.may_be_document
        self.found.unseen.append(
            Unseen(
                name=mask_text(source.name),
                kinds=kinds,
                reason=reason.said_in(self.language),
                may_be_notice=may_be_notice or source.kind == "notice",
            )
        )
