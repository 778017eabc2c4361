CREATE TABLE signup (
  signup_id  BIGINT PRIMARY KEY,
  user_name  VARCHAR(50) COMMENT '이름',
  email      VARCHAR(200) COMMENT '이메일',
  birth_date DATE COMMENT '생년월일',
  device_id  VARCHAR(64) COMMENT '단말기 식별값'
);
