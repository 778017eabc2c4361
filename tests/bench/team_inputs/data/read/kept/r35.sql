-- 회계 시스템 (Oracle, CP949)
CREATE TABLE 전표
( 전표번호   VARCHAR2(20)   NOT NULL   -- 전표번호
, 전표일자   CHAR(8)        DEFAULT TO_CHAR(SYSDATE,'YYYYMMDD')
, "차변/대변" CHAR(1)       CHECK ("차변/대변" IN ('D', 'C'))
, 금액       NUMBER(18,2)
/* , 구금액     NUMBER(15)   삭제 예정: 쓰지 말 것 */
, 적요       VARCHAR2(4000)
, CONSTRAINT PK_전표 PRIMARY KEY (전표번호)
) TABLESPACE TS_회계;
COMMENT ON TABLE 전표 IS '전표 (''회계'' 전표)';
COMMENT ON COLUMN 전표.전표일자 IS '전표일자; YYYYMMDD';
COMMENT ON COLUMN 전표.금액 IS '금액
COMMENT ON COLUMN 전표.적요 IS ''아님'';
끝';
COMMENT ON COLUMN 전표."차변/대변" IS '차변''D''/대변''C''';
/
CREATE TABLE 전표상세 AS SELECT 전표번호, 1 AS 순번, 금액 AS 상세금액 FROM 전표 WHERE 1=0;
INSERT INTO 전표 (전표번호, 적요) VALUES ('A1', 'CREATE TABLE 가짜 (A NUMBER); -- 아님');
CREATE OR REPLACE FUNCTION FN_합계(P_번호 IN VARCHAR2) RETURN NUMBER IS
  V_합 NUMBER; -- 합계
BEGIN
  SELECT SUM(금액) INTO V_합 FROM 전표 WHERE 전표번호 = P_번호;
  RETURN V_합;
END;
/
CREATE TABLE 계정 (계정코드 CHAR(6) PRIMARY KEY, 계정명 VARCHAR2(60)) ORGANIZATION INDEX;
