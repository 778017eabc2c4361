-- Written by an author who has seen neither the rules nor the examples of the team; truth taken from the standard by script where it says so.
PRAGMA foreign_keys=OFF;
CREATE TABLE seq_note(x);
CREATE TABLE "visit" (id INTEGER PRIMARY KEY AUTOINCREMENT, visitor TEXT NOT NULL, purpose TEXT DEFAULT 'meeting; other', came_at TEXT DEFAULT (strftime('%Y-%m-%d','now')), left_at TEXT, car_no, "badge no" TEXT, [host name] TEXT, `check` INTEGER CHECK (`check` IN (0,1)));
CREATE TABLE IF NOT EXISTS 주차기록 (
  차량번호 TEXT NOT NULL,
  입차일시 TEXT,
  출차일시 TEXT,
  주차요금 INTEGER DEFAULT 0, -- 원
  할인여부 CHAR(1),
  PRIMARY KEY (차량번호, 입차일시)
) WITHOUT ROWID;
CREATE TABLE main.setting(k TEXT PRIMARY KEY, v ANY) STRICT;
CREATE INDEX visit_came ON visit(came_at);
CREATE TRIGGER visit_bye AFTER UPDATE ON visit BEGIN UPDATE visit SET left_at = datetime('now') WHERE id = NEW.id; END;
