CREATE TABLE customer (
  id integer PRIMARY KEY,
  full_name text NOT NULL,
  email text NOT NULL
);
COMMENT ON TABLE customer IS 'Customers. Retention: 12 months after the last order';
