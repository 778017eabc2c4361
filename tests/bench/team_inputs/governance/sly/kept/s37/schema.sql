CREATE TABLE pet_owner (
  owner_id INT PRIMARY KEY,
  owner_name VARCHAR(80),
  home_address VARCHAR(200),
  bank_account VARCHAR(40),
  last_lat DECIMAL(9,6),
  last_lon DECIMAL(9,6)
);
COMMENT ON TABLE pet_owner IS 'customers';
