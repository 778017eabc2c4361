CREATE TABLE signup (
  signup_id BIGINT PRIMARY KEY,
  name      VARCHAR(80)  NOT NULL,
  email     VARCHAR(200) NOT NULL,
  address   VARCHAR(300)
);
