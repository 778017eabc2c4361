-- MySQL 8.0
CREATE TABLE member (
  member_no    BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name         VARCHAR(50)  NOT NULL COMMENT '이름',
  email        VARCHAR(120) NOT NULL COMMENT '이메일 주소',
  mobile       VARCHAR(20)  COMMENT '휴대전화번호',
  birth_date   DATE         COMMENT '생년월일 (선택)',
  state        CHAR(1)      NOT NULL DEFAULT 'A',
  joined_at    DATETIME     NOT NULL
) COMMENT='회원. 탈퇴 후 30일 뒤 삭제 배치';

CREATE TABLE purchase (
  purchase_no   BIGINT NOT NULL PRIMARY KEY,
  member_no     BIGINT NOT NULL,
  book_name     VARCHAR(200) NOT NULL COMMENT '도서명',
  isbn          CHAR(13)     NOT NULL,
  ship_address  VARCHAR(300) NOT NULL COMMENT '배송지 주소',
  warranty_year INT          COMMENT '전자책 단말 보증 5년',
  ordered_at    DATETIME     NOT NULL,
  FOREIGN KEY (member_no) REFERENCES member (member_no)
) COMMENT='주문. 배송 완료일부터 2년 뒤 삭제';
