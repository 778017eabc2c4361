CREATE TABLE traveller (
  id serial PRIMARY KEY,
  name text NOT NULL,
  passport_no text NOT NULL
);
COMMENT ON COLUMN traveller.passport_no IS 'encrypted, see coral/crypto.py';
