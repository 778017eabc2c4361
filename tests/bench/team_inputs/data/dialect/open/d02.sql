# 원본: Oracle 19c  NUMBER(10,0), VARCHAR2(4000 BYTE), SYSDATE
CREATE TABLE visit (
  visit_no INT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'NUMBER(10) in Oracle; SERIAL in PostgreSQL',
  memo MEDIUMTEXT COMMENT 'NVARCHAR(MAX) [dbo].[visit] GO',
  visited DATETIME ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (visit_no)
);
INSERT INTO visit (memo) VALUES ('create table x (id bigserial, j jsonb, t timestamptz);');
