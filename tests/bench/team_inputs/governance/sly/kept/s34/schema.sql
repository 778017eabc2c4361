CREATE TABLE accounts (
  acct int PRIMARY KEY,
  tax_ref varchar(200),
  opened date
);
COMMENT ON COLUMN accounts.tax_ref IS 'AES-256-GCM encrypted';
