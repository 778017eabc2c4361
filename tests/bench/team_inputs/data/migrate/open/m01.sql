-- 접수 (월별 파티션)
CREATE TABLE receipt (
    rcpt_no   bigint GENERATED ALWAYS AS IDENTITY,
    rcpt_date char(8) NOT NULL,
    cust_no   varchar(20) NOT NULL,
    amount    numeric(15,2) DEFAULT 0,
    vat       numeric(15,2) GENERATED ALWAYS AS (amount * 0.1) STORED,
    CONSTRAINT receipt_pk PRIMARY KEY (rcpt_no, rcpt_date),
    CONSTRAINT receipt_date_ck CHECK (rcpt_date ~ '^[0-9]{8}$')
) PARTITION BY RANGE (rcpt_date);
CREATE TABLE receipt_2024 PARTITION OF receipt FOR VALUES FROM ('20240101') TO ('20250101');
CREATE TABLE receipt_old (
    rcpt_no bigint NOT NULL, rcpt_date char(8) NOT NULL, cust_no varchar(20) NOT NULL,
    amount numeric(15,2) DEFAULT 0,
    vat numeric(15,2) GENERATED ALWAYS AS (amount * 0.1) STORED,
    CONSTRAINT receipt_date_ck CHECK (rcpt_date ~ '^[0-9]{8}$')
);
ALTER TABLE receipt ATTACH PARTITION receipt_old FOR VALUES FROM ('20000101') TO ('20240101');
CREATE TABLE receipt_rest PARTITION OF receipt DEFAULT;
CREATE INDEX receipt_month_ix ON receipt (substr(rcpt_date, 1, 6));
CREATE VIEW v_receipt_month AS SELECT substr(rcpt_date, 1, 6) AS ym, sum(amount) AS total FROM receipt GROUP BY 1;
CREATE FUNCTION receipt_total(p_cust varchar) RETURNS numeric LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT sum(amount) FROM receipt WHERE cust_no = p_cust);
END $$;
COMMENT ON COLUMN receipt.rcpt_date IS '접수일자';
COMMENT ON COLUMN receipt.amount IS '금액';
INSERT INTO receipt (rcpt_date, cust_no, amount) VALUES ('20240301', 'C1', 1000), ('20190101', 'C1', 5);
