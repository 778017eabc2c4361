CREATE TABLE tb_member (
  member_seq   BIGINT NOT NULL AUTO_INCREMENT COMMENT '회원번호',
  nickname     VARCHAR(30) NOT NULL COMMENT '닉네임',
  email        VARCHAR(120) NOT NULL COMMENT '이메일',
  birth_date   DATE COMMENT '생년월일',
  device_model VARCHAR(60) COMMENT '기기 모델명',
  join_at      DATETIME COMMENT '가입일시',
  PRIMARY KEY (member_seq)
) COMMENT='회원';

CREATE TABLE tb_item_log (
  log_seq    BIGINT NOT NULL AUTO_INCREMENT,
  member_seq BIGINT NOT NULL,
  item_code  CHAR(8) NOT NULL COMMENT '아이템 코드',
  qty        INT NOT NULL,
  PRIMARY KEY (log_seq)
) COMMENT='아이템 지급 이력';
