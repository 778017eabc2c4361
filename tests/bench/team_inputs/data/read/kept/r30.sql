CREATE SCHEMA IF NOT EXISTS `acme-prod`.dwh OPTIONS(location="asia-northeast3", description="CREATE TABLE s (a INT64)");
CREATE OR REPLACE TABLE `acme-prod`.dwh.sessions (
  session_id STRING NOT NULL OPTIONS(description=r"raw \d+, not escaped"),
  hits ARRAY<STRUCT<page STRUCT<url STRING, title STRING>, at TIMESTAMP OPTIONS(description="inner")>> OPTIONS(description="hits"),
  geo STRUCT<lat FLOAT64, lon FLOAT64>,
  `from` STRING DEFAULT 'a, b',
  d DATE,
  r RANGE<DATE>,
  emb ARRAY<FLOAT64>,
  CONSTRAINT fk FOREIGN KEY (session_id) REFERENCES dwh.users(uid) NOT ENFORCED
) PARTITION BY RANGE_BUCKET(1, GENERATE_ARRAY(0, 100, 10)) CLUSTER BY session_id
OPTIONS (description = "one 'session'; per visit", friendly_name = '''x
CREATE TABLE y (z INT64)
''');
CREATE TABLE dwh.daily PARTITION BY d CLUSTER BY n AS
WITH src AS (SELECT d, COUNT(*) AS n FROM `acme-prod.dwh.sessions` GROUP BY d)
SELECT d, n, n / 2 AS half FROM src;
CREATE TABLE dwh.sessions_like LIKE `acme-prod`.dwh.sessions;
CREATE SNAPSHOT TABLE dwh.snap CLONE dwh.sessions;
CREATE EXTERNAL TABLE dwh.ext (a INT64, b STRING) WITH PARTITION COLUMNS (dt DATE) OPTIONS (format='CSV', uris=['gs://b/*.csv']);
CREATE TEMP TABLE _SESSION.tmp (q INT64);
CREATE MATERIALIZED VIEW dwh.mv AS SELECT session_id FROM dwh.sessions;
BEGIN
  EXECUTE IMMEDIATE "CREATE TABLE dwh.dyn (a INT64)";
EXCEPTION WHEN ERROR THEN SELECT @@error.message;
END;
CREATE TABLE dwh.users (uid STRING, nick STRING(20) OPTIONS (description = '별명'), joined DATETIME);
ALTER TABLE dwh.users ADD COLUMN IF NOT EXISTS grade INT64 OPTIONS(description="등급"), DROP COLUMN nick;
ALTER TABLE dwh.users RENAME COLUMN joined TO joined_at;
ALTER TABLE dwh.users ALTER COLUMN uid SET OPTIONS (description="사용자 아이디");
