"""Find the dialect of a schema by words that only this dialect has."""

import re

_STRONG, _WEAK = 3, 1
"""A mark of one dialect alone, and one that a few share."""

_MARKS: dict[str, dict[int, tuple[str, ...]]] = {
    "oracle": {
        _STRONG: (
            r"\bN?VARCHAR2\b",
            r"\bSYSDATE\b",
            r"\(\s*\d+\s+(?:BYTE|CHAR)\s*\)",
            r"\bNULL\s+ENABLE\b",
            r"\bPCTFREE\b",
            r"\bTABLESPACE\s+\w+\s+PCT",
        ),
        _WEAK: (r"\bNUMBER\s*\(", r"\bCLOB\b", r"^/\s*$"),
    },
    "mysql": {
        _STRONG: (
            r"\bENGINE\s*=",
            r"\bAUTO_INCREMENT\b",
            r"/\*!\d",
            r"\bUNSIGNED\b",
            r"\bENUM\s*\(",
        ),
        _WEAK: (r"`", r"\bCOMMENT\s+'", r"\bDATETIME\b", r"\bLONGTEXT\b"),
    },
    "postgres": {
        _STRONG: (
            r"\b(?:BIG|SMALL)?SERIAL\b",
            r"\bTIMESTAMPTZ\b",
            r"\bCHARACTER VARYING\b",
            r"\bWITH(?:OUT)? TIME ZONE\b",
            r"\bJSONB\b",
            r"\bBYTEA\b",
            r"\bOWNER TO\b",
            r"\bsearch_path\b",
        ),
        _WEAK: (r"::", r"\bTEXT\b"),
    },
    "tsql": {
        _STRONG: (
            r"^\s*GO\s*$",
            r"\[\w+\]\.\[",
            r"\]\s*\[",
            r"\bIDENTITY\s*\(\s*\d+\s*,",
            r"\bDATETIME2\b",
            r"\bUNIQUEIDENTIFIER\b",
            r"\bON\s+\[PRIMARY\]",
            r"\bVARCHAR\s*\(\s*MAX\s*\)",
        ),
        _WEAK: (r"\bNVARCHAR\s*\(", r"\bN'", r"\bBIT\b"),
    },
    "sqlite": {
        _STRONG: (
            r"\bPRIMARY KEY AUTOINCREMENT\b",
            r"\bWITHOUT\s+ROWID\b",
            r"^\s*PRAGMA\b",
            r"\)\s*STRICT\s*;",
            r"\bSTRFTIME\s*\(",
        ),
        _WEAK: (r"`", r"\bTEXT\b", r"\bINTEGER PRIMARY KEY\b"),
    },
    "snowflake": {
        _STRONG: (
            r"\bVARIANT\b",
            r"\bTIMESTAMP_(?:NTZ|LTZ|TZ)\b",
            r"\bMASKING POLICY\b",
            r"\bTRANSIENT TABLE\b",
            r"\bUSE\s+(?:ROLE|WAREHOUSE)\b",
            r"\bVARCHAR\s*\(\s*16777216\s*\)",
            r"\bNUMBER\s*\(\s*38\s*,",
        ),
        _WEAK: (r"\bCREATE\s+OR\s+REPLACE\s+TABLE\b", r"\bAUTOINCREMENT\b", r"\bNUMBER\s*\("),
    },
    "bigquery": {
        _STRONG: (
            r"\bINT64\b",
            r"\bFLOAT64\b",
            r"\bBIGNUMERIC\b",
            r"\bOPTIONS\s*\(",
            r"\bSTRUCT\s*<\s*\w+\s",
        ),
        _WEAK: (r"`", r"\bSTRING\b", r"\bBYTES\b"),
    },
    "databricks": {
        _STRONG: (
            r"\bUSING\s+(?:DELTA|PARQUET|ICEBERG|ORC)\b",
            r"\bTBLPROPERTIES\b",
            r"\bSTRUCT\s*<\s*\w+\s*:",
            r"\bSTORED\s+AS\b",
        ),
        _WEAK: (r"`", r"\bSTRING\b", r"\bPARTITIONED\s+BY\b", r"\bMAP\s*<"),
    },
}
_PATTERNS = {
    name: tuple(
        (re.compile(mark, re.IGNORECASE | re.MULTILINE), weight)
        for weight, marks in weighed.items()
        for mark in marks
    )
    for name, weighed in _MARKS.items()
}
_DEFAULT = "postgres"
"""The most standard dialect."""


def dialect_of(sql: str) -> str:
    """Return the dialect with most of its marks in `sql`; PostgreSQL, the most standard, if none.

    How often a mark occurs does not count: a dump repeats one, and the others tell as much.
    """
    scores = {
        name: sum(weight for mark, weight in marks if mark.search(sql))
        for name, marks in _PATTERNS.items()
    }
    best = max(scores, key=lambda name: (scores[name], name == _DEFAULT))
    return best if scores[best] else _DEFAULT
