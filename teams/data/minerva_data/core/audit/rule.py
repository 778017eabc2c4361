"""The rules of the audit, one function each; the ids are those of the standard's checks.

W words, N names, D domains, U uniqueness, P order, K keywords. `before` is what is
there, `after` what the standard asks for; an empty `after` means that a person has to decide.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from sqlglot.dialects.dialect import Dialect

from minerva_data.core.audit.style import MAX_LENGTH, Style, is_styled
from minerva_data.core.audit.table import final_name
from minerva_data.core.glossary.datatype import difference
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Finding, Row, Severity, Via
from minerva_platform.text import read_words

WORDS = read_words("minerva_data.core.audit", "reserved")
_ORDER: dict[Severity, int] = {"high": 0, "medium": 1, "low": 2}
_WORD_RULES: dict[Via, tuple[str, Severity]] = {
    "forbidden": ("W1", "medium"),
    "synonym": ("W2", "low"),
}


@dataclass(frozen=True, slots=True)
class Standard:
    """What a table is audited against."""

    lookup: Lookup
    style: Style = "UPPER_SNAKE"
    max_length: int = MAX_LENGTH


def place(row: Row) -> str:
    """Return where a row comes from: `TB_PATIENT.PAT_ID`, or the words asked for."""
    table = row.item.full_table
    return f"{table}.{row.item.name}" if table else row.item.name


def by_severity(finding: Finding) -> tuple[int, str, str]:
    """Sort key: the worst first, then by rule and place."""
    return (_ORDER[finding.severity], finding.rule, finding.place)


def column_name(row: Row, _: Standard) -> Iterator[Finding]:
    """N1: a column's name is the composition of its words, or the term's own."""
    if row.status == "renamed" and row.physical_name is not None:
        yield finding("N1", "medium", row, "name", row.item.name, row.physical_name)


def name_length(row: Row, standard: Standard) -> Iterator[Finding]:
    """N2: a physical name is short enough; it is never shortened here, that would be a guess."""
    name = row.physical_name or ""
    if len(name) > standard.max_length:
        yield finding("N2", "medium", row, "physical_name", name, "")


def name_letters(row: Row, standard: Standard) -> Iterator[Finding]:
    """N3: a column's name has the letters and the case of the style."""
    if row.item.is_column and row.status != "renamed" and not _is_plain(row, standard):
        after = row.physical_name or ""
        yield finding("N3", "low", row, "name", row.item.name, after)


def class_word_at_end(row: Row, _: Standard) -> Iterator[Finding]:
    """N4: a name ends in a class word, which says what kind of value it holds."""
    last = row.words[-1] if row.words else None
    if last and not last.is_class and (row.logical_name or "").endswith(last.word):
        yield finding("N4", "medium", row, "logical_name", row.logical_name or "", "")


def declared_type(row: Row, standard: Standard) -> Iterator[Finding]:
    """D2: a column's type and length are those of its domain."""
    domain = standard.lookup.glossary.domains.get(row.domain or "")
    declared = row.item.data_type
    if domain is None or declared is None:
        return
    severity = difference(declared, domain, dialect=row.item.dialect)
    if severity is not None:
        after = f"{domain.sql_type} ({domain.name})"
        yield finding("D2", severity, row, "data_type", declared, after)


def has_domain(row: Row, _: Standard) -> Iterator[Finding]:
    """D3: a name that is resolved has a domain; D4: a person chooses it where several are usual."""
    if row.physical_name is not None and row.domain is None:
        yield finding(
            "D4" if row.domains else "D3", "low", row, "domain", row.domain_text or "", ""
        )


def word_choice(row: Row, _: Standard) -> Iterator[Finding]:
    """W1 forbidden words, W2 synonyms in a comment, W3 retired terms."""
    for hit in row.words:
        if hit.via in _WORD_RULES and row.item.is_column:
            rule, severity = _WORD_RULES[hit.via]
            yield finding(rule, severity, row, "comment", hit.written, hit.word)
        elif hit.via == "forbidden":
            yield finding("W1", "low", row, "request", hit.written, hit.word)
    if row.retired is not None:
        yield finding("W3", "medium", row, "term", row.retired, row.logical_name or "")


def plain_name(row: Row, _: Standard) -> Iterator[Finding]:
    """K1: a column's name afterwards is no word that its database reserves."""
    if not row.item.is_column:
        return
    name = final_name(row)
    if is_reserved(name, row.item.dialect):
        severity: Severity = "high" if row.status == "renamed" else "medium"
        field = "physical_name" if row.status == "renamed" else "name"
        yield finding("K1", severity, row, field, name, "")


def order_corrected(pairs: int, priority: Sequence[str]) -> Finding:
    """P1: the rows stand in the order of the domain priority."""
    return Finding(
        rule="P1",
        severity="low",
        place="table",
        field="order",
        before=str(pairs),
        after=" > ".join(priority),
        corrected=True,
    )


def finding(
    rule: str, severity: Severity, row: Row, field: str, before: str, after: str
) -> Finding:  # one line per rule reads best so
    """Return what `rule` says about a field of `row`."""
    return Finding(
        rule=rule,
        severity=severity,
        place=place(row),
        field=field,
        before=before,
        after=after,
        citations=row.citations[:1],
    )


def _is_plain(row: Row, standard: Standard) -> bool:
    """True if a column that keeps its name is written in the style, or unquoted in any case."""
    if row.status == "standard" and standard.style != "camel":
        return is_styled(row.item.name.upper(), "UPPER_SNAKE")
    return row.item.name.isascii()


def is_reserved(name: str, dialect: str | None) -> bool:
    """True if `name` is reserved in a dialect; without one, as in PostgreSQL.

    Such a name of a column works only in quotation marks. sqlglot knows those of MySQL;
    `words/reserved.toml` has those of Oracle, PostgreSQL and SQL Server.
    """
    return name.casefold() in _words(dialect or "postgres")


@cache
def _words(dialect: str) -> frozenset[str]:
    if dialect in WORDS.lists:
        return frozenset(WORDS[dialect])
    found = Dialect.get(dialect)
    words = set(found.generator_class.RESERVED_KEYWORDS if found else ())
    words |= set(WORDS["mariadb"]) if dialect == "mysql" else set()
    return frozenset(str(word).casefold() for word in words) or _words("postgres")
