"""The team's words to the person, in both languages, in one place.

People say 도메인 for two things; a table shows both, each under its own header.
"""

from dataclasses import dataclass

from minerva_data.core.schema.record import Reason, Severity, Status
from minerva_platform.text import Language


@dataclass(frozen=True, slots=True)
class VerdictWording:
    """How it is said that a name is standard or not; each text begins with yes or no."""

    yes: str
    no: str
    retired: str
    composed: str
    instead: str
    candidates: str
    none: str


@dataclass(frozen=True, slots=True)
class Wording:
    """The fixed texts of one language."""

    language: Language
    term_header: tuple[str, ...]
    column_header: tuple[str, ...]
    finding_header: tuple[str, ...]
    statuses: dict[Status, str]
    reasons: dict[Reason, str]
    severities: dict[Severity, str]
    terms_title: str
    columns_title: str
    counts: str
    priority: str
    shown: str
    files: str
    unresolved_title: str
    unresolved: str
    parts: str
    alternatives: str
    unparsed_title: str
    findings_title: str
    renames: str
    corrected: str
    clean: str
    order: str
    nothing: str
    read_cut: str
    not_applied: str
    verdict: VerdictWording


_KO = Wording(
    language="ko",
    term_header=(
        "요청",
        "논리명",
        "표준 물리명",
        "도메인",
        "데이터 타입",
        "주제영역",
        "방법",
        "출처",
    ),
    column_header=(
        "컬럼",
        "상태",
        "논리명",
        "표준 물리명",
        "도메인",
        "데이터 타입",
        "주제영역",
        "출처",
    ),
    finding_header=("규칙", "심각도", "위치", "현재", "표준"),
    statuses={"found": "찾음", "renamed": "변경", "standard": "표준", "unresolved": "미해결"},
    reasons={
        "unknown_words": "사전에 없는 말",
        "refused": "한 글자 단어로만 이어져 확실하지 않음",
        "ambiguous": "여러 뜻으로 읽힘",
        "too_long": "이름이라기에는 너무 긺",
        "collision": "한 테이블에서 같은 이름이 됨",
        "retired": "폐기된 용어",
        "close_term": "같은 뜻의 용어가 따로 있음",
        "no_class_word": "값의 종류를 말하는 단어로 끝나지 않음",
        "scattered": "문장에서 모은 말이라 하나로 정할 수 없음",
        "no_domain": "도메인이 정해지지 않음",
        "bundled_alias": "기본 사전만 아는 다른 말이라 확실하지 않음",
    },
    severities={"high": "높음", "medium": "중간", "low": "낮음"},
    terms_title="**표준 용어 {total}건**: 찾음 {found}, 미해결 {unresolved}",
    columns_title="**컬럼 {total}개 표준화**",
    counts="변경 {renamed} · 이미 표준 {standard} · 미해결 {unresolved} = {total}",
    priority="정렬 기준(도메인 우선순위): {priority}",
    shown="{total}건 가운데 {shown}건을 보였습니다.",
    files="전체는 {files}에 있습니다.",
    unresolved_title="**미해결 {total}건**: 추측하지 않고 사람의 결정을 기다립니다.",
    unresolved="- {place}: {reason}{parts}{alternatives}",
    parts=" ({parts})",
    alternatives="; 후보: {names}",
    unparsed_title="**읽지 못한 SQL 문 {total}건**",
    findings_title="**감사 결과 {total}건**: 높음 {high}, 중간 {medium}, 낮음 {low}",
    renames="이름 변경(N1) {count}건은 위 표의 '변경' 행입니다.",
    corrected="표에서 바로잡은 값 {count}개.",
    clean="감사 결과 이상이 없습니다.",
    order="순서(P1): 정렬 전 뒤바뀐 쌍 {before}개, 정렬 후 {after}개.",
    nothing=(
        "표준화할 이름을 찾지 못했습니다. 용어를 따옴표로 적거나(`'환자 이름'의 표준 약어`) "
        "스키마를 붙여 주세요(`-i schema.sql`)."
    ),
    read_cut="요청이 길어 {total}개 가운데 {shown}개만 읽었습니다.",
    not_applied="`migration.sql`은 적용하지 않았습니다.",
    verdict=VerdictWording(
        yes="예. `{name}`: 표준입니다({term}).",
        no="아니요. `{name}`: 표준이 아닙니다.",
        retired="아니요. `{name}`: 폐기된 용어라 표준이 아닙니다.",
        composed=(
            "아니요. `{name}`: 이 이름의 표준 용어는 없습니다. "
            "표준 단어를 조합한 이름입니다({term})."
        ),
        instead=" 표준은 `{physical}`({term})입니다.",
        candidates=" 후보: {names}.",
        none=" 대신할 표준 이름을 찾지 못했습니다.",
    ),
)
_EN = Wording(
    language="en",
    term_header=(
        "Asked",
        "Logical name",
        "Standard physical name",
        "Domain",
        "Data type",
        "Subject area",
        "Method",
        "Source",
    ),
    column_header=(
        "Column",
        "Status",
        "Logical name",
        "Standard physical name",
        "Domain",
        "Data type",
        "Subject area",
        "Source",
    ),
    finding_header=("Rule", "Severity", "Place", "Now", "Standard"),
    statuses={
        "found": "found",
        "renamed": "rename",
        "standard": "standard",
        "unresolved": "unresolved",
    },
    reasons={
        "unknown_words": "words the glossary does not have",
        "refused": "only one-syllable words would explain it",
        "ambiguous": "it can be read in several ways",
        "too_long": "too long to be a name",
        "collision": "two columns of one table would get the same name",
        "retired": "a retired term that none replaces",
        "close_term": "there is a term that says the same",
        "no_class_word": "no word at its end says the kind of value",
        "scattered": "gathered from a sentence, which names nothing by itself",
        "no_domain": "no domain is known for it",
        "bundled_alias": "only the bundled glossary reads a word of it so",
    },
    severities={"high": "high", "medium": "medium", "low": "low"},
    terms_title="**Standard terms: {total}** (found {found}, unresolved {unresolved})",
    columns_title="**{total} columns standardised**",
    counts="{renamed} to rename · {standard} standard already · {unresolved} unresolved = {total}",
    priority="Order (domain priority): {priority}",
    shown="{shown} of {total} shown.",
    files="All of them are in {files}.",
    unresolved_title="**Unresolved: {total}**. Nothing is guessed; a person decides.",
    unresolved="- {place}: {reason}{parts}{alternatives}",
    parts=" ({parts})",
    alternatives="; candidates: {names}",
    unparsed_title="**SQL statements that could not be read: {total}**",
    findings_title="**Audit findings: {total}** (high {high}, medium {medium}, low {low})",
    renames="The {count} N1 findings are the rows to rename in the table above.",
    corrected="Values corrected in the table: {count}.",
    clean="The audit found nothing to correct.",
    order="Order (P1): {before} pairs out of order before sorting, {after} after.",
    nothing=(
        "I found no name to standardise. Put the term in quotation marks "
        "(`abbreviation of 'patient name'`) or attach a schema (`-i schema.sql`)."
    ),
    read_cut="The request is long: {shown} of {total} names were read.",
    not_applied="`migration.sql` has not been applied.",
    verdict=VerdictWording(
        yes="Yes: `{name}` is standard ({term}).",
        no="No: `{name}` is not standard.",
        retired="No: `{name}` is not standard, because the term was retired.",
        composed="No: no standard term is `{name}`. It is composed of standard words ({term}).",
        instead=" The standard is `{physical}` ({term}).",
        candidates=" Candidates: {names}.",
        none=" No standard name was found for it.",
    ),
)


def wording(language: Language) -> Wording:
    """Return the texts of a language."""
    return _KO if language == "ko" else _EN
