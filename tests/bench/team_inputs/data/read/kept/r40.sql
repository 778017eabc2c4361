--liquibase formatted sql

--changeset kim:1 labels:"v1, init" splitStatements:true endDelimiter:;
--comment: CREATE TABLE in_remark (a int);
CREATE TABLE account (
    acct_id   BIGINT       NOT NULL PRIMARY KEY,
    acct_nm   VARCHAR(50)  NOT NULL,
    old_col   INT,
    opened    DATE
);
--rollback DROP TABLE account;

--changeset kim:2
ALTER TABLE account ADD COLUMN closed DATE;
ALTER TABLE account ADD email VARCHAR(320) DEFAULT 'a;b', ADD CONSTRAINT uq UNIQUE (email);
ALTER TABLE account DROP COLUMN old_col;
ALTER TABLE account RENAME COLUMN opened TO opened_on;
--rollback ALTER TABLE account RENAME COLUMN opened_on TO opened;

--changeset lee:3 splitStatements:false
CREATE OR REPLACE FUNCTION trg() RETURNS trigger AS $body$
BEGIN
  CREATE TABLE tmp_f (a int); RETURN NEW;
END $body$ LANGUAGE plpgsql;

--changeset lee:4
CREATE TABLE tx (tx_id BIGINT, acct_id BIGINT REFERENCES account, amt NUMERIC(18,2));
ALTER TABLE tx RENAME TO txn;
ALTER TABLE IF EXISTS txn ADD COLUMN IF NOT EXISTS memo TEXT;
COMMENT ON COLUMN txn.amt IS '거래금액';
ALTER TABLE txn ALTER COLUMN amt TYPE NUMERIC(20,2) USING amt::numeric(20,2);

--changeset lee:5
CREATE TABLE dropped (x INT);
DROP TABLE IF EXISTS dropped CASCADE;
ALTER TABLE txn SET SCHEMA ledger;
