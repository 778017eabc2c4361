CREATE TABLE diner (
  diner_id INT PRIMARY KEY,
  full_name VARCHAR(80),
  email VARCHAR(120),
  phone VARCHAR(20),
  allergy VARCHAR(200)
);
COMMENT ON TABLE diner IS 'customers';
