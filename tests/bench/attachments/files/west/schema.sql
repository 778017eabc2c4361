CREATE TABLE prescription (
  presc_id VARCHAR(12) PRIMARY KEY, -- 처방번호
  med_cd VARCHAR(9),                -- 약품코드
  days INT                          -- 투약일수
);
