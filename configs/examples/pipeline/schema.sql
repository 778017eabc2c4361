-- The table of an invented clinic. The comments name its columns in words; the glossary knows them.
CREATE TABLE visits (
    PAT_ID    VARCHAR(20),
    PAT_NM    VARCHAR(100),
    BIRTH_DT  VARCHAR(8),
    EMAIL     VARCHAR(100),
    ADM_DT    VARCHAR(8),
    MEMO      VARCHAR(500)
);
COMMENT ON COLUMN visits.PAT_ID IS '환자번호';
COMMENT ON COLUMN visits.PAT_NM IS '환자명';
COMMENT ON COLUMN visits.BIRTH_DT IS '생년월일';
COMMENT ON COLUMN visits.EMAIL IS '이메일';
COMMENT ON COLUMN visits.ADM_DT IS '입원일자';
COMMENT ON COLUMN visits.MEMO IS '비고';
