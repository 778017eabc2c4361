"""The glossary: find terms in a request, and make columns of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    english: str
    korean: str
    physical: str
    type: str


Column = tuple[str, str]
"""A name and a type."""

GLOSSARY = (
    Term("patient name", "환자 이름", "PT_NM", "VARCHAR(100)"),
    Term("birth date", "생년월일", "BRTH_YMD", "CHAR(8)"),
    Term("admission date", "입원일자", "ADMS_YMD", "CHAR(8)"),
    Term("discharge time", "퇴원일시", "DSCH_DT", "CHAR(14)"),
    Term("ward code", "병동코드", "WARD_CD", "NUMBER(5)"),
)


def find_terms(request: str) -> list[Term]:
    words = request.lower()
    return [term for term in GLOSSARY if term.english in words or term.korean in words]


def make_columns(terms: Iterable[Term]) -> list[Column]:
    return sorted((term.physical, term.type) for term in terms)


def names_text(terms: Sequence[Term]) -> str:
    return "\n".join(f"{t.physical} ({t.english}, {t.korean})" for t in terms) or "no term"


def columns_text(columns: Sequence[Column]) -> str:
    return "\n".join(f"{name} {kind}" for name, kind in columns) or "no column"
