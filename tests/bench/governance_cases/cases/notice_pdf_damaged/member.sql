CREATE TABLE member (
  member_id  BIGINT PRIMARY KEY,
  member_nm  VARCHAR(50)  NOT NULL COMMENT '이름',
  birth_ymd  CHAR(8)      COMMENT '생년월일',
  tel_no     VARCHAR(20)  COMMENT '전화번호'
);
