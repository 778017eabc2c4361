CREATE TABLE seller (
  seller_id   SERIAL PRIMARY KEY,
  shop_name   VARCHAR(80) NOT NULL,
  owner_name  VARCHAR(80) NOT NULL,
  email       VARCHAR(200) NOT NULL,
  tax_id      VARCHAR(120) NOT NULL,
  iban        VARCHAR(40)
);
COMMENT ON COLUMN seller.tax_id IS 'tax number of the seller, AES-256 encrypted';
COMMENT ON COLUMN seller.iban IS 'bank account for payouts';
