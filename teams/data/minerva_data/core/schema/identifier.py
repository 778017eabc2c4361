"""Write the names of a schema so that its database reads them as one name each."""

import re

from sqlglot import exp

from minerva_data.core.audit.rule import is_reserved
from minerva_data.core.language.text import is_identifier
from minerva_reading import fold

_PLACEHOLDER = re.compile(r"[@:&]\w+|\$\{?\w+\}?|\{\{? *[\w.]+ *\}?\}|%\(\w+\)s")


def quoted(name: str, dialect: str | None, *, is_exact: bool = False) -> str:
    """Return `name` so that SQL reads it as one name, whatever it holds.

    `is_exact` keeps its case where the dialect would fold it; else marks get the folded name.
    """
    is_plain = is_identifier(name) and not is_reserved(name, dialect)
    if not is_exact and (is_plain or _PLACEHOLDER.fullmatch(name)):
        return name
    written = name if is_exact else fold(name, dialect)
    visible = "".join(char for char in written if char.isprintable())
    return exp.to_identifier(visible, quoted=True).sql(dialect or "postgres")
