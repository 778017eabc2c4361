CREATE TABLE tb_appl (
    rcpt_no   varchar(12) PRIMARY KEY,
    appl_nm   varchar(40) NOT NULL,
    appl_rrn  varchar(128) NOT NULL,
    tel       varchar(20),
    rcpt_dt   date
);
COMMENT ON TABLE tb_appl IS '민원 신청';
COMMENT ON COLUMN tb_appl.appl_nm IS '신청인 성명';
COMMENT ON COLUMN tb_appl.appl_rrn IS '신청인 주민등록번호, Vault transit 엔진으로 암호화하여 저장';
COMMENT ON COLUMN tb_appl.tel IS '신청인 전화번호';
