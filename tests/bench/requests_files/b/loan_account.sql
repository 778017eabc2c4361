-- made-up savings bank, loan desk
CREATE TABLE LN_ACCT (
    LOAN_ACC_NUM  VARCHAR(14)   NOT NULL PRIMARY KEY, -- 대출계좌번호
    CUSTNO        VARCHAR(10)   NOT NULL,             -- 고객번호
    RESIDENT_NO   CHAR(13),                           -- 주민등록번호
    CELLPHONE     VARCHAR(20),                        -- 휴대전화번호
    BRANCH_CD     CHAR(4),                            -- 지점코드
    LOAN_BAL      NUMERIC(15),                        -- 대출잔액
    INT_RATE      NUMERIC(5,3),                       -- 이자율
    CUST_GRD      CHAR(1),                            -- 고객등급
    OVERDUE_FLAG  CHAR(1),                            -- 연체여부
    OPEN_DATE     TIMESTAMP                           -- 개설일자
);
