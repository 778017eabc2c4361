-- PostgreSQL 15, dump of 2026-09-01
CREATE SCHEMA crm;
CREATE SCHEMA hr;

CREATE TABLE crm.members (
    member_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name         varchar(60) NOT NULL,
    email        varchar(120) NOT NULL,
    resident_no  bytea,                     -- AES-256-GCM, key in KMS (alias/crm-pii)
    created_at   timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN crm.members.resident_no IS 'AES-256-GCM 암호문';

CREATE TABLE hr.members (
    member_id    bigint PRIMARY KEY,
    name         varchar(60) NOT NULL,
    phone        varchar(20),
    resident_no  char(14) NOT NULL,
    hired_on     date
);
COMMENT ON COLUMN hr.members.resident_no IS '주민등록번호 (예: 앞6-뒤7, 그대로 저장)';

CREATE VIEW crm.v_members AS
    SELECT m.member_id, m.name, h.resident_no AS rno
      FROM crm.members m JOIN hr.members h USING (member_id);
