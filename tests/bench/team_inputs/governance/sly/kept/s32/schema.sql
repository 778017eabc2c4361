CREATE TABLE insured (
  id          SERIAL PRIMARY KEY,
  ssn         VARCHAR(64),
  account_no  VARCHAR(64),
  card_no     VARCHAR(64)
);
COMMENT ON COLUMN insured.ssn IS 'AES-256 encrypted until release 4; reporting needs it readable since then';
COMMENT ON COLUMN insured.account_no IS 'the disk is encrypted with AES-256, the value is as entered';
COMMENT ON COLUMN insured.card_no IS 'encrypted with AES-256 in production only if CARD_ENC=1, see wiki';
