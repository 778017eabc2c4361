CREATE TABLE reader (
  reader_id   integer PRIMARY KEY,
  full_name   text NOT NULL,
  email       text,
  last_loan   date
);
COMMENT ON TABLE reader IS 'Readers. Retention: 6 months after the last loan';
