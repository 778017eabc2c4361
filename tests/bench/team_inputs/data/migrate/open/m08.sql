CREATE TABLE visit (
  id BIGINT NOT NULL AUTO_INCREMENT,
  visit_date CHAR(8) NOT NULL COMMENT '방문일자',
  `User Name` VARCHAR(50) COMMENT '사용자명',
  state ENUM('new','done, ok') NOT NULL DEFAULT 'new',
  doc LONGTEXT CHECK (JSON_VALID(doc)),
  yr INT NOT NULL,
  CONSTRAINT ck_date CHECK (CHAR_LENGTH(visit_date) = 8 AND state <> 'visit_date'),
  PRIMARY KEY (id, yr),
  KEY ix_user (`User Name`(10))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
PARTITION BY RANGE (yr) (PARTITION p24 VALUES LESS THAN (2025), PARTITION pmax VALUES LESS THAN MAXVALUE);
CREATE TABLE visit_log LIKE visit;
CREATE TABLE visit_sum AS SELECT yr, COUNT(*) AS n FROM visit GROUP BY yr;
CREATE FUNCTION f_name(p BIGINT) RETURNS VARCHAR(50) READS SQL DATA RETURN (SELECT `User Name` FROM visit WHERE id = p LIMIT 1);
CREATE VIEW `v visit` AS SELECT visit_date, `User Name` AS who FROM visit WHERE state = 'new';
INSERT INTO visit (visit_date, `User Name`, yr) VALUES ('20240101', 'kim', 2024);
