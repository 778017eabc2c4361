CREATE TABLE subscriber (
  subscriber_id INT PRIMARY KEY,
  email VARCHAR(200) NOT NULL COMMENT 'e-mail address',
  phone VARCHAR(30) COMMENT 'telephone number',
  postal_address VARCHAR(300) COMMENT 'postal address'
) COMMENT='subscribers';
