BEGIN;
ALTER TABLE crm.members
    ADD COLUMN passport_no varchar(9),
    ADD COLUMN nationality char(2) DEFAULT 'KR';
COMMENT ON COLUMN crm.members.passport_no IS '여권번호 평문';
ALTER TABLE ONLY hr.members ADD blood_type varchar(3);
COMMIT;
