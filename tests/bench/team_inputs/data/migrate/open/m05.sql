CREATE TABLE swap (a int, b int, "A" int, c int GENERATED ALWAYS AS (a + b) STORED, CHECK (a < b));
CREATE TABLE journal (id bigint, ts timestamptz, user_ text, "user" text);
CREATE VIEW v1 AS SELECT a, b FROM swap;
CREATE VIEW v2 AS SELECT s.* FROM v1 s WHERE a > 0;
CREATE VIEW v3 AS SELECT * FROM journal NATURAL JOIN (SELECT 1::bigint AS id) q;
CREATE FUNCTION first_log() RETURNS journal LANGUAGE sql AS $$ SELECT * FROM journal LIMIT 1 $$;
CREATE FUNCTION log_users() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE r journal%ROWTYPE; u journal."user"%TYPE;
BEGIN
  FOR r IN SELECT * FROM journal LOOP u := r."user"; RETURN NEXT u; END LOOP;
END $$;
INSERT INTO swap (a, b, "A") VALUES (1, 2, 3);
