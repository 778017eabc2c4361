CREATE TABLE payee (
  payee_id  uuid PRIMARY KEY,
  name      text NOT NULL,
  iban      text NOT NULL,
  currency  char(3) NOT NULL
);
COMMENT ON COLUMN payee.iban IS 'IBAN';
