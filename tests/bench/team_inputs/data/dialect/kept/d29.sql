CREATE TABLE log (
  id INT,
  msg TEXT COMMENT 'message',
  at TIMESTAMP
);
