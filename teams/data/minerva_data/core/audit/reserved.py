"""Words that a database keeps for itself: as a column's name they work only in quotation marks.

sqlglot knows those of MySQL; it has none for Oracle, PostgreSQL and SQL Server. These are in
`words/reserved.toml`.
"""

from functools import cache

from sqlglot.dialects.dialect import Dialect

from minerva_platform.text import read_words

WORDS = read_words("minerva_data.core.audit", "reserved")


def is_reserved(name: str, dialect: str | None) -> bool:
    """True if `name` is reserved in a dialect; without one, as in PostgreSQL."""
    return name.casefold() in _words(dialect or "postgres")


@cache
def _words(dialect: str) -> frozenset[str]:
    if dialect in WORDS.lists:
        return frozenset(WORDS[dialect])
    found = Dialect.get(dialect)
    words = found.generator_class.RESERVED_KEYWORDS if found else ()
    return frozenset(str(word).casefold() for word in words) or _words("postgres")
