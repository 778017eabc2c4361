CREATE DOMAIN ymd AS char(8) CHECK (VALUE ~ '^[0-9]{8}$');
CREATE TYPE grade AS ENUM ('A', 'B', 'C, old');
CREATE TABLE dept (
  comp char(2), dcode char(4), dname varchar(40),
  PRIMARY KEY (comp, dcode)
);
CREATE TABLE emp (
  empno int PRIMARY KEY,
  comp char(2) NOT NULL,
  dcode char(4) NOT NULL,
  hired ymd NOT NULL,
  lvl grade DEFAULT 'A',
  mgr int REFERENCES emp (empno),
  FOREIGN KEY (comp, dcode) REFERENCES dept (comp, dcode) ON UPDATE CASCADE
);
CREATE INDEX emp_hired_year ON emp ((left(hired, 4)), dcode) WHERE lvl <> 'C, old';
ALTER TABLE emp ENABLE ROW LEVEL SECURITY;
CREATE POLICY emp_own ON emp USING (dcode = current_setting('app.dcode', true));
CREATE ROLE m04_reader;
GRANT SELECT (empno, hired), UPDATE (lvl) ON emp TO m04_reader;
CREATE RULE emp_no_del AS ON DELETE TO emp WHERE OLD.mgr IS NULL DO INSTEAD NOTHING;
CREATE PROCEDURE move(p_emp int, p_d text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('UPDATE emp SET dcode = %L WHERE empno = %s', p_d, p_emp);
END $$;
COMMENT ON COLUMN emp.hired IS '입사일자';
COMMENT ON COLUMN emp.dcode IS '부서코드';
