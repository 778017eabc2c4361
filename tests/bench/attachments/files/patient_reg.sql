-- 접수 시스템 환자 등록
CREATE TABLE tb_patient (
  pt_no        VARCHAR(10)  NOT NULL PRIMARY KEY COMMENT '환자번호',
  pt_name      VARCHAR(50)  NOT NULL COMMENT '환자 이름',
  jumin        CHAR(13)     COMMENT '주민등록번호',
  hp           VARCHAR(20)  COMMENT '휴대전화번호',
  addr1        VARCHAR(200) COMMENT '주소',
  blood        CHAR(3)      COMMENT '혈액형',
  regdt        DATETIME     COMMENT '등록일시'
);
CREATE TABLE tb_guardian (
  pt_no        VARCHAR(10)  NOT NULL,
  grd_name     VARCHAR(50)  COMMENT '보호자 이름',
  grd_tel      VARCHAR(20)  COMMENT '보호자 연락처',
  relation     VARCHAR(10)  COMMENT '환자와의 관계'
);
