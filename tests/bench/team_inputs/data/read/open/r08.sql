PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE book(id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, isbn, tags, -- comma separated, e.g. 'a,b'
  price REAL DEFAULT (1.0 * 2), "published" TEXT DEFAULT CURRENT_TIMESTAMP, [shelf no] INT, `lang` TEXT CHECK(lang IN ('ko','en', 'ja')));
INSERT INTO book VALUES(1,'How to CREATE TABLE x (a,b);',NULL,NULL,1.0,'2024','3','ko');
INSERT INTO book VALUES(2,replace('two\nlines','\n',char(10)),NULL,NULL,1.0,'2024','3','en');
CREATE TABLE IF NOT EXISTS "loan" (
	"book_id"	INTEGER NOT NULL REFERENCES book(id) ON DELETE CASCADE,
	"member"	TEXT,
	"due"	TEXT,
	days REAL AS (round(julianday(due), 1)) VIRTUAL,
	PRIMARY KEY("book_id","member")
) WITHOUT ROWID, STRICT;
CREATE VIRTUAL TABLE book_fts USING fts5(title, tags, content='book', content_rowid='id');
CREATE TABLE IF NOT EXISTS 'book_fts_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TRIGGER book_ai AFTER INSERT ON book BEGIN
  INSERT INTO book_fts(rowid, title) VALUES (new.id, new.title);
  SELECT CASE WHEN new.title = '' THEN RAISE(ABORT, 'no; title') END;
END;
CREATE VIEW due_soon AS SELECT book_id, member FROM loan WHERE days < 3;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('book',2);
CREATE TEMP TABLE scratch(a, b, c);
COMMIT;
