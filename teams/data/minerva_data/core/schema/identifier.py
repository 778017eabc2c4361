"""Write the names of a schema so that its database reads them as one name each."""

import re

from sqlglot import exp

from minerva_data.core.audit.rule import is_reserved
from minerva_data.core.language.text import is_identifier

_PLACEHOLDER = re.compile(r"[@:&]\w+|\$\{?\w+\}?|\{\{? *[\w.]+ *\}?\}|%\(\w+\)s")


def is_mixed(name: str) -> bool:
    """True if a name holds both small letters and capitals."""
    return name not in {name.lower(), name.upper()}


def quoted(name: str, dialect: str | None, *, is_exact: bool = False) -> str:
    """Return `name` so that SQL reads it as one name, whatever it holds.

    `is_exact` keeps its case where the dialect would fold it.
    """
    is_plain = is_identifier(name) and not is_reserved(name, dialect)
    if not is_exact and (is_plain or _PLACEHOLDER.fullmatch(name)):
        return name
    visible = "".join(char for char in name if char.isprintable())
    return exp.to_identifier(visible, quoted=True).sql(dialect or "postgres")
