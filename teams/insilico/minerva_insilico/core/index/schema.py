"""The tables of an index.

Rows belong to a file and go with it. `symbols` are Python's modules, classes and functions,
`outline` its attributes and what other languages define. `owner` of a use tells whose field it is,
as far as the text tells: `=Patient` a class, `=PatientForm:Patient` one that the same text gives a
model, `patient` the name of a variable or relation, `(f)` a function that is called, `{a,b}` the
names beside it, `?` a text that stands alone, and nothing; `|` stands between several. `models`
tells which class stands for which (`PatientForm`), what a relation leads to (`.patient`) and which
table a class has (`#tb_patient`).

`flows` are values that reach a sink; `kind` is `object` for a whole one and `parameter` for what
the function of `owner` is given. `constants` are names that hold an address: its host, or after an
`@` another constant. `declared` are fields as classes and `Table(…)` calls declare them; a row
without a name tells of the class itself.
"""

import sys
from typing import Final

FORMAT: Final = f"11-python{sys.version_info.major}.{sys.version_info.minor}"
"""Another format is not read: the rows, or the grammar they came from, differ."""

TABLES: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, sha256 TEXT NOT NULL,
    language TEXT NOT NULL, is_parsed INTEGER NOT NULL, lines INTEGER,
    module TEXT NOT NULL DEFAULT '', reason TEXT, detail TEXT, error_line INTEGER, source BLOB
);
CREATE TABLE symbols (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, qualname TEXT NOT NULL, name TEXT NOT NULL,
    kind TEXT NOT NULL, line INTEGER NOT NULL, end_line INTEGER NOT NULL, signature TEXT NOT NULL,
    decorators TEXT NOT NULL, docstring TEXT, documented INTEGER NOT NULL,
    complexity INTEGER NOT NULL
);
CREATE TABLE outline (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, qualname TEXT NOT NULL, name TEXT NOT NULL,
    kind TEXT NOT NULL, line INTEGER NOT NULL, end_line INTEGER NOT NULL, signature TEXT NOT NULL
);
CREATE TABLE bases (
    file INTEGER NOT NULL, symbol INTEGER NOT NULL, name TEXT NOT NULL, binding TEXT NOT NULL
);
CREATE TABLE models (
    file INTEGER NOT NULL, symbol INTEGER NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL
);
CREATE TABLE calls (
    file INTEGER NOT NULL, line INTEGER NOT NULL, symbol INTEGER NOT NULL, name TEXT NOT NULL,
    binding TEXT NOT NULL
);
CREATE TABLE imports (
    file INTEGER NOT NULL, line INTEGER NOT NULL, target TEXT NOT NULL, tail TEXT NOT NULL,
    name TEXT NOT NULL, bound TEXT NOT NULL, binding TEXT NOT NULL,
    guard TEXT NOT NULL
);
CREATE TABLE uses (
    file INTEGER NOT NULL, line INTEGER NOT NULL, symbol INTEGER NOT NULL, name TEXT NOT NULL,
    kind TEXT NOT NULL, sink TEXT, tables TEXT NOT NULL, owner TEXT NOT NULL
);
CREATE TABLE flows (
    file INTEGER NOT NULL, line INTEGER NOT NULL, symbol INTEGER NOT NULL, name TEXT NOT NULL,
    kind TEXT NOT NULL, sink TEXT NOT NULL, destination TEXT NOT NULL, via TEXT NOT NULL,
    suspected INTEGER NOT NULL, owner TEXT NOT NULL
);
CREATE TABLE constants (
    file INTEGER NOT NULL, symbol INTEGER NOT NULL, name TEXT NOT NULL, host TEXT NOT NULL
);
CREATE TABLE declared (
    file INTEGER NOT NULL, line INTEGER NOT NULL, symbol INTEGER NOT NULL, name TEXT NOT NULL,
    maker TEXT NOT NULL, binding TEXT NOT NULL, annotation TEXT NOT NULL, details TEXT NOT NULL
);
CREATE TABLE sections (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, line INTEGER NOT NULL,
    end_line INTEGER NOT NULL, kind TEXT NOT NULL
);
CREATE VIRTUAL TABLE symbol_words USING fts5(
    name, around, summary, tokenize = 'porter unicode61', detail = column, prefix = '2 3 4'
);
CREATE VIRTUAL TABLE section_words USING fts5(title, body, tokenize = 'porter unicode61');
"""

INDEXES: Final = """
CREATE INDEX IF NOT EXISTS symbols_by_file ON symbols (file);
CREATE INDEX IF NOT EXISTS symbols_by_name ON symbols (name COLLATE NOCASE);
CREATE INDEX IF NOT EXISTS outline_by_file ON outline (file);
CREATE INDEX IF NOT EXISTS outline_by_name ON outline (name COLLATE NOCASE);
CREATE INDEX IF NOT EXISTS bases_by_file ON bases (file);
CREATE INDEX IF NOT EXISTS bases_by_symbol ON bases (symbol);
CREATE INDEX IF NOT EXISTS bases_by_name ON bases (name);
CREATE INDEX IF NOT EXISTS models_by_file ON models (file);
CREATE INDEX IF NOT EXISTS models_by_name ON models (name);
CREATE INDEX IF NOT EXISTS calls_by_file ON calls (file);
CREATE INDEX IF NOT EXISTS calls_by_name ON calls (name);
CREATE INDEX IF NOT EXISTS calls_by_symbol ON calls (symbol);
CREATE INDEX IF NOT EXISTS imports_by_file ON imports (file);
CREATE INDEX IF NOT EXISTS imports_by_tail ON imports (tail);
CREATE INDEX IF NOT EXISTS imports_by_name ON imports (name);
CREATE INDEX IF NOT EXISTS uses_by_file ON uses (file);
CREATE INDEX IF NOT EXISTS uses_by_name ON uses (name COLLATE NOCASE);
CREATE INDEX IF NOT EXISTS uses_by_sink ON uses (sink) WHERE sink IS NOT NULL;
CREATE INDEX IF NOT EXISTS flows_by_file ON flows (file);
CREATE INDEX IF NOT EXISTS constants_by_file ON constants (file);
CREATE INDEX IF NOT EXISTS constants_by_name ON constants (name);
CREATE INDEX IF NOT EXISTS declared_by_file ON declared (file);
CREATE INDEX IF NOT EXISTS sections_by_file ON sections (file);
"""
"""Made when all rows are in: row by row they would cost twice the time."""

OWNED: Final = (
    *("symbols", "outline", "bases", "models", "calls", "imports", "uses", "flows", "constants"),
    *("declared", "sections"),
)
"""Tables whose rows go with their file."""

WORDS: Final = {
    "symbols": ("symbol_words", "id"),
    "outline": ("symbol_words", "-id"),
    "sections": ("section_words", "id"),
}
"""Where the words of a table's rows are, and under which numbers."""
