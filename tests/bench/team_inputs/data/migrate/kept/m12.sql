CREATE TABLE "사원" ("사번" char(7) PRIMARY KEY, "성명" varchar(50), "입사일" char(8), "Dept" varchar(10));
CREATE TABLE "사원이력" (LIKE "사원" INCLUDING ALL, "변경일시" timestamp DEFAULT now());
CREATE TABLE snap AS SELECT "사번", "성명" AS nm FROM "사원";
CREATE VIEW "재직자" AS SELECT "사번", "성명" FROM "사원" WHERE "Dept" <> '퇴직';
CREATE FUNCTION "이름"(text) RETURNS text LANGUAGE sql STABLE AS 'SELECT "성명" FROM "사원" WHERE "사번" = $1';
CREATE FUNCTION hist() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO "사원이력" SELECT OLD.*, now(); RETURN OLD; END $$;
CREATE TRIGGER "이력" AFTER UPDATE OF "성명", "Dept" OR DELETE ON "사원" FOR EACH ROW EXECUTE FUNCTION hist();
COMMENT ON COLUMN "사원"."입사일" IS '입사일자 (YYYYMMDD)
예: ''20240101''';
INSERT INTO "사원" VALUES ('2024001', '김', '20240101', 'A');
