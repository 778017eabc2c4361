CREATE TABLE tb_customer (
  cust_id INT PRIMARY KEY COMMENT 'customer number',
  cust_nm VARCHAR(60) COMMENT 'customer name',
  email VARCHAR(120)
) COMMENT='customers';
