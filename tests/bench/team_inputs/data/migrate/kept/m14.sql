CREATE TABLE t_old (id int PRIMARY KEY, usr_id text, user_id text, reg_dt char(8), x text);
CREATE TABLE "t_new" (id int REFERENCES t_old (id), "USR_NM" text, usr_nm text, reg_dt timestamp);
DO $$ BEGIN EXECUTE 'CREATE VIEW v_do AS SELECT id, usr_id, reg_dt FROM t_old'; END $$;
CREATE FUNCTION ins(a int, b text) RETURNS void LANGUAGE sql AS $$ INSERT INTO t_old (id, usr_id) VALUES (a, b) ON CONFLICT (id) DO UPDATE SET usr_id = excluded.usr_id $$;
CREATE AGGREGATE cat (text) (SFUNC = textcat, STYPE = text, INITCOND = '');
CREATE VIEW v_agg AS SELECT cat(x ORDER BY reg_dt) AS all_x FROM t_old;
CREATE FUNCTION evt() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'usr_id %', tg_tag; END $$;
COMMENT ON COLUMN t_old.usr_id IS '사용자ID'; COMMENT ON COLUMN t_old.reg_dt IS '등록일자'; COMMENT ON COLUMN t_new.reg_dt IS '등록일시';
INSERT INTO t_old VALUES (1, 'u', 'v', '20240101', 'x');
