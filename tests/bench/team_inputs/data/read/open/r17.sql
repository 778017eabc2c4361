-- MySQL in ANSI mode
SET sql_mode = 'ANSI_QUOTES,STRICT_TRANS_TABLES';
CREATE TABLE "stock" (
  "stock_id" INT UNSIGNED NOT NULL AUTO_INCREMENT,
  "warehouse" VARCHAR(30) NOT NULL DEFAULT 'A "main" one' COMMENT 'warehouse; "main"',
  "primary key" INT COMMENT 'an odd name',
  "check" TINYINT(1) NOT NULL,
  "a,b" INT,
  "c)d" INT COMMENT 'bracket',
  qty INT CHECK (qty >= 0 AND qty <> 13),
  PRIMARY KEY ("stock_id"),
  KEY "ix" ("warehouse"(10) DESC, "check")
) ENGINE=InnoDB COMMENT 'stock per "warehouse", ';
# a hash remark; CREATE TABLE nope (a INT)
CREATE TABLE "stock_bak" LIKE "stock";
CREATE TABLE "sums" ("id" INT AUTO_INCREMENT PRIMARY KEY) SELECT "warehouse" AS "wh", SUM(qty) AS "total" FROM "stock" GROUP BY "warehouse";
CREATE TABLE IF NOT EXISTS `move` (`from` INT, `to` INT, `at` DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6)) -- no comma
;
