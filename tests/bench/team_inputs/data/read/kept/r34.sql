BEGIN;
--
-- Create model Person  (django sqlmigrate shop 0001)
--
CREATE TABLE "shop_person" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "first name" varchar(30) NOT NULL, "data" text NOT NULL CHECK ((JSON_VALID("data") OR "data" IS NULL)), "age" smallint unsigned NOT NULL CHECK ("age" >= 0), "select" bool NOT NULL, "boss_id" bigint NULL REFERENCES "shop_person" ("id") DEFERRABLE INITIALLY DEFERRED);
--
-- Alter field age on person
--
CREATE TABLE "new__shop_person" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "age" integer NULL, "first name" varchar(30) NOT NULL, "data" text NOT NULL, "select" bool NOT NULL, "boss_id" bigint NULL REFERENCES "new__shop_person" ("id"));
INSERT INTO "new__shop_person" ("id", "age", "first name", "data", "select", "boss_id") SELECT "id", "age", "first name", "data", "select", "boss_id" FROM "shop_person";
DROP TABLE "shop_person";
ALTER TABLE "new__shop_person" RENAME TO "shop_person";
CREATE INDEX "shop_person_boss_id_1" ON "shop_person" ("boss_id");
CREATE TABLE "shop_m2m" ("person_id" bigint NOT NULL, "tag_id" bigint NOT NULL, PRIMARY KEY ("person_id", "tag_id"));
ALTER TABLE "shop_m2m" ADD COLUMN "since" date NULL;
ALTER TABLE "shop_m2m" RENAME COLUMN "tag_id" TO "label_id";
ALTER TABLE "shop_m2m" RENAME "person_id" TO "member_id";
CREATE TABLE "gone" ("x" int);
DROP TABLE "gone";
COMMIT;
