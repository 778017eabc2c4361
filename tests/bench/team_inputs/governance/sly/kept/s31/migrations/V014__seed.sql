CREATE TABLE app_setting (k varchar(60) PRIMARY KEY, v text, remark text);

INSERT INTO app_setting (k, v, remark) VALUES
  ('theme', 'dark', NULL),
  ('test.user', 'u1001', 'login ok, real case 690916-1975552'),
  ('limit', '50', ''),
  ('vip.1', '7103201989063', 'director''s account');
