CREATE TABLE employees (
  employee_no  VARCHAR(10) PRIMARY KEY,
  name         VARCHAR(100) NOT NULL,
  work_email   VARCHAR(120),
  salary_gbp   INTEGER,
  department   VARCHAR(40),
  hired_on     DATE
);
COMMENT ON TABLE employees IS 'Staff. Retention: five years after the employment ends';
