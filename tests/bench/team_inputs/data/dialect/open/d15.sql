CREATE TABLE item (
  item_id INT NOT NULL,
  code STRING,
  price DECIMAL(10,2)
);
