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
CREATE TABLE types (file INTEGER NOT NULL, name TEXT NOT NULL, binding TEXT NOT NULL);
CREATE TABLE sections (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, line INTEGER NOT NULL,
    end_line INTEGER NOT NULL, kind TEXT NOT NULL
);
CREATE VIRTUAL TABLE symbol_words USING fts5(
    name, around, summary, tokenize = 'porter unicode61', detail = column, prefix = '2 3 4'
);
CREATE VIRTUAL TABLE section_words USING fts5(title, body, tokenize = 'porter unicode61');
