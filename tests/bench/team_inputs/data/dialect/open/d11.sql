CREATE TABLE pay (
  pay_no DECIMAL(10,0) NOT NULL,
  pay_ymd CHAR(8) NOT NULL,
  amt DECIMAL(15,2) DEFAULT 0
);
COMMENT ON TABLE pay IS '지급 (MySQL 의 `pay` ENGINE=InnoDB 에서 옮김)';
COMMENT ON COLUMN pay.pay_no IS '지급번호';
