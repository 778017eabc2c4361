CREATE TABLE pupil (
  pupil_id INT PRIMARY KEY,
  full_name VARCHAR(80),
  date_of_birth DATE,
  religion VARCHAR(40)
);
COMMENT ON TABLE pupil IS 'pupils';
