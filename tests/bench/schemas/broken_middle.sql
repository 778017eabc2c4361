-- Written by an author who has seen neither the rules nor the examples of the team; truth taken from the standard by script where it says so.
CREATE TABLE cst_mst (
  cst_no      VARCHAR(10) NOT NULL,   -- 고객번호
  cst_nm      VARCHAR(50),            -- 고객명
  brth_dt     CHAR(8),                -- 생년월일
  mbl_no      VARCHAR(13),
  email       VARCHAR(100),
  reg_dttm    DATETIME,
  PRIMARY KEY (cst_no)
);

CREATE TABLE cntr_mst (
  cntr_no     VARCHAR(20) NOT NULL,
  cst_no      VARCHAR(10
  cntr_dt     CHAR(8) NOT NUL,,
  cntr_amt    DECIMAL(15,2
  ??? 여기 확인 필요 - 김주임
  end_dt      CHAR(8)
<<<<<<< HEAD
  cntr_stat   CHAR(2),
=======
  cntr_sts_cd CHAR(2),
>>>>>>> feature/contract
  PRIMARY KEY (cntr_no

CREATE TABLE pay_hist (
  pay_no      BIGINT NOT NULL,
  cntr_no     VARCHAR(20),            -- 계약번호
  pay_dt      CHAR(8),                -- 납부일자
  pay_amt     DECIMAL(15,0),          -- 납부금액
  pay_mthd    CHAR(2),
  refund_yn   CHAR(1) DEFAULT 'N',
  PRIMARY KEY (pay_no)
);

ALTR TABLE pay_hist ADD COLUMN memo VARCHAR(500);

CREATE TABLE code_dtl (
  code_id VARCHAR(10), code VARCHAR(10), code_nm VARCHAR(100), sort_ord INT, use_yn CHAR(1)
);
