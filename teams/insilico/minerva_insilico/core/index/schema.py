"""The tables of an index.

Rows belong to a file and go with it. `symbols` are Python's modules, classes and functions,
`outline` its attributes and what other languages define. `owner` of a use tells whose field it is,
as far as the text tells: `=Patient` a class, `=PatientForm:Patient` one that the same text gives a
model, `patient` the name of a variable or relation, `(f)` a function that is called, `{a,b}` the
names beside it, `?` a text that stands alone, `<Order.lines>line` the way to a value, and nothing;
`|` stands between several. `models` tells which class stands for which (`PatientForm`), what a
relation leads to (`.patient`), what an attribute holds (`:patient`), which table a class has
(`#tb_patient`), what an alias stands for (`~Load`), what a generic base is given (`[`) and what a
function returns (`->`).

`flows` are values that reach a sink; `kind` is `object` for a whole one and `parameter` for what
the function of `owner` is given. `constants` are names that hold an address: its host, or after an
`@` another constant. `types` are the bindings, as `core.visitors.value_binding` writes them, of
attributes (`Shelf.books`), variables of a module, and what functions return (`find()`). `declared`
are fields as classes and `Table(…)` calls declare them; a row without a name tells of the class
itself.
"""

import sys
from importlib.resources import files
from typing import Final

FORMAT: Final = f"15-python{sys.version_info.major}.{sys.version_info.minor}"
"""Another format is not read: the rows, or the grammar they came from, differ."""

TABLES: Final = (files("minerva_insilico.core.index") / "tables.sql").read_text("utf-8")

INDEXES: Final = (files("minerva_insilico.core.index") / "indexes.sql").read_text("utf-8")
"""Made when all rows are in: row by row they would cost twice the time."""

OWNED: Final = (
    *("symbols", "outline", "bases", "models", "calls", "imports", "uses", "flows", "constants"),
    *("declared", "sections", "types"),
)
"""Tables whose rows go with their file."""

WORDS: Final = {
    "symbols": ("symbol_words", "id"),
    "outline": ("symbol_words", "-id"),
    "sections": ("section_words", "id"),
}
"""Where the words of a table's rows are, and under which numbers."""
