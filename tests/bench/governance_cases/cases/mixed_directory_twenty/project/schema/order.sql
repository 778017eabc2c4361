CREATE TABLE orders (
  order_no CHAR(7) PRIMARY KEY,
  amount INT
);
