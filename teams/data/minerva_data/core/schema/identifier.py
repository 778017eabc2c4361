"""Compare and write the names of a schema as its database does.

PostgreSQL folds a name without quotation marks to small letters, Oracle and Snowflake to capitals:
there `"emailAddr"` and `emailAddr` are two columns. The other dialects do not mind the case.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from minerva_data.core.audit.reserved import is_reserved
from minerva_data.core.language.text import is_identifier

_FOLDS: dict[str, Callable[[str], str]] = {
    "postgres": str.lower,
    "oracle": str.upper,
    "snowflake": str.upper,
}
_PLACEHOLDER = re.compile(r"[@:&]\w+|\$\{?\w+\}?|\{\{? *[\w.]+ *\}?\}|%\(\w+\)s")
PLACEHOLDERS = ("@", "$", "{", ":", "&", "%")
"""What a name begins with that a template or a shell fills in: `@cdm`, `${schema}`, `&owner`."""


@dataclass(frozen=True, slots=True)
class Identifier:
    """A name as a schema writes it, without its quotation marks."""

    text: str
    is_quoted: bool = False

    def is_exact(self, dialect: str | None) -> bool:
        """True if the name is another one without its quotation marks."""
        fold = _FOLDS.get(dialect or "")
        return self.is_quoted and fold is not None and fold(self.text) != self.text


def is_mixed(name: str) -> bool:
    """True if a name holds both small letters and capitals."""
    return name not in {name.lower(), name.upper()}


def folds_case(dialect: str | None) -> bool:
    """True if a dialect changes the case of names without quotation marks."""
    return dialect in _FOLDS


def quoted(name: str, dialect: str | None, *, is_exact: bool = False) -> str:
    """Return `name` so that SQL reads it as one name, whatever it holds.

    `is_exact` keeps its case where the dialect would fold it.
    """
    is_plain = is_identifier(name) and not is_reserved(name, dialect)
    if not is_exact and (is_plain or _PLACEHOLDER.fullmatch(name)):
        return name
    visible = "".join(char for char in name if char.isprintable())
    return exp.to_identifier(visible, quoted=True).sql(dialect or "postgres")


def unseen(name: str) -> str:
    """Return how the first character of `name` is called that cannot be seen; "" if all can."""
    found = next((char for char in name if not char.isprintable()), "")
    if found in {"\n", "\r", "\u2028", "\u2029"} and found:
        return "a line break"
    return f"the invisible character U+{ord(found):04X}" if found else ""
