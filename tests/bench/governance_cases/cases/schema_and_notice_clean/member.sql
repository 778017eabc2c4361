CREATE TABLE member (
  member_id BIGINT PRIMARY KEY COMMENT '회원번호',
  name      VARCHAR(50)  NOT NULL COMMENT '이름',
  email     VARCHAR(200) NOT NULL COMMENT '이메일',
  phone     VARCHAR(20)  COMMENT '휴대전화번호'
);
