CREATE TABLE prescription (
  rx_no VARCHAR(12) PRIMARY KEY, -- 처방번호
  drug_code VARCHAR(9),          -- 약품코드
  dose NUMERIC(6,2)              -- 투여량
);
