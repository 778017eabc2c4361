"""Words that a database keeps for itself: as a column's name they work only in quotation marks.

sqlglot knows those of MySQL; it has none for Oracle, PostgreSQL and SQL Server, whose lists are
those of the vendors' manuals (Oracle 23ai, PostgreSQL 17, SQL Server 2022).
"""

from functools import cache

from sqlglot.dialects.dialect import Dialect

_ORACLE = frozenset(
    """
    access add all alter and any as asc audit between by char check cluster column column_value
    comment compress connect create current date decimal default delete desc distinct drop else
    exclusive exists file float for from grant group having identified immediate in increment
    index initial insert integer intersect into is level like lock long maxextents minus mlslabel
    mode modify nested_table_id noaudit nocompress not nowait null number of offline on online
    option or order pctfree prior public raw rename resource revoke row rowid rownum rows select
    session set share size smallint start successful synonym sysdate table then to trigger uid
    union unique update user validate values varchar varchar2 view whenever where with
    """.split()
)
_POSTGRES = frozenset(
    """
    all analyse analyze and any array as asc asymmetric authorization binary both case cast check
    collate collation column concurrently constraint create cross current_catalog current_date
    current_role current_schema current_time current_timestamp current_user default deferrable
    desc distinct do else end except false fetch for foreign freeze from full grant group having
    ilike in initially inner intersect into is isnull join lateral leading left like limit
    localtime localtimestamp natural not notnull null offset on only or order outer overlaps
    placing primary references returning right select session_user similar some symmetric
    system_user table tablesample then to trailing true union unique user using variadic verbose
    when where window with
    """.split()
)
_TSQL = frozenset(
    """
    add all alter and any as asc authorization backup begin between break browse bulk by cascade
    case check checkpoint close clustered coalesce collate column commit compute constraint
    contains containstable continue convert create cross current current_date current_time
    current_timestamp current_user cursor database dbcc deallocate declare default delete deny
    desc disk distinct distributed double drop dump else end errlvl escape except exec execute
    exists exit external fetch file fillfactor for foreign freetext freetexttable from full
    function goto grant group having holdlock identity identity_insert identitycol if in index
    inner insert intersect into is join key kill left like lineno load merge national nocheck
    nonclustered not null nullif of off offsets on open opendatasource openquery openrowset
    openxml option or order outer over percent pivot plan precision primary print proc procedure
    public raiserror read readtext reconfigure references replication restore restrict return
    revert revoke right rollback rowcount rowguidcol rule save schema securityaudit select
    semantickeyphrasetable semanticsimilaritydetailstable semanticsimilaritytable session_user
    set setuser shutdown some statistics system_user table tablesample textsize then to top tran
    transaction trigger truncate try_convert tsequal union unique unpivot update updatetext use
    user values varying view waitfor when where while with within writetext
    """.split()
)
_BY_DIALECT = {"oracle": _ORACLE, "postgres": _POSTGRES, "tsql": _TSQL}


def is_reserved(name: str, dialect: str | None) -> bool:
    """True if `name` is reserved in a dialect; without one, as in PostgreSQL."""
    return name.casefold() in _words(dialect or "postgres")


@cache
def _words(dialect: str) -> frozenset[str]:
    if dialect in _BY_DIALECT:
        return _BY_DIALECT[dialect]
    found = Dialect.get(dialect)
    words = found.generator_class.RESERVED_KEYWORDS if found else ()
    return frozenset(str(word).casefold() for word in words) or _POSTGRES
