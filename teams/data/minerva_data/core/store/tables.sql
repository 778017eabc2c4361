CREATE TABLE state (generation INTEGER NOT NULL);
INSERT INTO state VALUES (0);
CREATE TABLE glossary (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('org', 'public'))
);
CREATE TABLE edition (
    id INTEGER PRIMARY KEY,
    glossary_id INTEGER NOT NULL REFERENCES glossary ON DELETE CASCADE,
    edition TEXT NOT NULL,
    UNIQUE (glossary_id, edition)
);
CREATE TABLE import (
    id INTEGER PRIMARY KEY,
    edition_id INTEGER NOT NULL REFERENCES edition ON DELETE CASCADE,
    file TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    imported_at TEXT NOT NULL
);
CREATE INDEX import_by_edition ON import (edition_id);
CREATE TABLE entry (
    id INTEGER PRIMARY KEY,
    edition_id INTEGER NOT NULL REFERENCES edition ON DELETE CASCADE,
    import_id INTEGER NOT NULL REFERENCES import ON DELETE CASCADE,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    variant TEXT NOT NULL,
    name TEXT NOT NULL,
    sheet TEXT NOT NULL,
    row INTEGER NOT NULL,
    is_retired INTEGER NOT NULL,
    support INTEGER,
    body TEXT NOT NULL,
    UNIQUE (edition_id, kind, key, variant)
);
CREATE INDEX entry_by_import ON entry (import_id);
CREATE VIRTUAL TABLE trigram USING fts5 (text, tokenize = 'trigram');
CREATE VIRTUAL TABLE bigram USING fts5 (text, tokenize = 'unicode61');
CREATE TRIGGER entry_gone AFTER DELETE ON entry BEGIN
    DELETE FROM trigram WHERE rowid = old.id;
    DELETE FROM bigram WHERE rowid = old.id;
END;
