"""Compare the names of a schema as its database does.

PostgreSQL folds a name without quotation marks to small letters, Oracle and Snowflake to capitals:
there `"emailAddr"` and `emailAddr` are two columns. The other dialects do not mind the case.
"""

from collections.abc import Callable
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase

_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_FOLDS: dict[str, Callable[[str], str]] = {
    "postgres": lambda name: name.translate(_LOWER),  # of UTF-8 its scanner folds ASCII alone
    "oracle": str.upper,
    "snowflake": str.upper,
}
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


def fold(name: str, dialect: str | None) -> str:
    """Return what a dialect makes of a name without quotation marks."""
    return _FOLDS.get(dialect or "", str)(name)


def folds_case(dialect: str | None) -> bool:
    """True if a dialect changes the case of names without quotation marks."""
    return dialect in _FOLDS


def unseen(name: str) -> str:
    """Return how the first character of `name` is called that cannot be seen; "" if all can."""
    found = next((char for char in name if not char.isprintable()), "")
    if found in {"\n", "\r", "\u2028", "\u2029"} and found:
        return "a line break"
    return f"the invisible character U+{ord(found):04X}" if found else ""
