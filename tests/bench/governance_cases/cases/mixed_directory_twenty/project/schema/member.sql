CREATE TABLE member (
  member_id BIGINT PRIMARY KEY,
  name VARCHAR(50) COMMENT '이름',
  alien_reg_no CHAR(13) COMMENT '외국인등록번호'
);
