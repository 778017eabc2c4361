"""Comments as SQL Server keeps them: the extended property MS_Description of a table or column.

https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-addextendedproperty-transact-sql
"""

from collections.abc import Sequence
from typing import Final

from sqlglot import Token, TokenType

from minerva_reading.scripts.declared_tables import DeclaredTables

_PROCEDURES: Final = frozenset({"SP_ADDEXTENDEDPROPERTY", "SP_UPDATEEXTENDEDPROPERTY"})
_ARGUMENTS: Final = (
    *("name", "value", "level0type", "level0name"),
    *("level1type", "level1name", "level2type", "level2name"),
)
"""In the order of the procedure, for calls that do not name them."""
_MAX_WORDS: Final = 6
"""Before the procedure's name: EXEC server.database.sys."""


def take_over_property(tables: DeclaredTables, tokens: Sequence[Token]) -> bool:
    """Take over a description; False if the statement is anything else."""
    words = [token.text.upper() for token in tokens[: _MAX_WORDS + 2]]
    at = next((index for index, word in enumerate(words) if word in _PROCEDURES), None)
    if words[0] not in {"EXEC", "EXECUTE"} or at is None:
        return False
    given = _arguments(tokens[at + 1 :])
    if given.get("name", "").upper() != "MS_DESCRIPTION":
        return True  # another property says nothing about what a column holds
    if given.get("level1name"):
        tables.comment(given["level1name"], given.get("level2name") or None, given.get("value", ""))
    return True


def _arguments(tokens: Sequence[Token]) -> dict[str, str]:
    found: dict[str, str] = {}
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.token_type == TokenType.COMMA:
            parts.append([])
        else:
            parts[-1].append(token)
    for name, part in zip(_ARGUMENTS, parts, strict=False):
        is_named = bool(part[1:]) and part[0].token_type == TokenType.PARAMETER
        key = part[1].text.casefold() if is_named else name
        found[key] = part[-1].text if part else ""
    return found
