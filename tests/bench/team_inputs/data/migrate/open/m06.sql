CREATE SCHEMA hr; CREATE SCHEMA pay;
CREATE TABLE hr.emp (emp_no int PRIMARY KEY, nm text, reg char(8));
CREATE TABLE pay.emp (emp_no int REFERENCES hr.emp (emp_no), nm text, amt numeric, UNIQUE (emp_no, nm));
SET search_path TO pay, hr;
CREATE VIEW v_emp AS SELECT e.emp_no, e.nm, p.amt FROM hr.emp e JOIN emp p USING (emp_no);
CREATE FUNCTION pay.f_trg() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.amt < 0 THEN RAISE EXCEPTION 'amt of % < 0', NEW.nm; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER t_emp BEFORE INSERT OR UPDATE OF amt ON pay.emp FOR EACH ROW EXECUTE FUNCTION pay.f_trg();
CREATE STATISTICS hr.emp_stat (dependencies) ON nm, reg FROM hr.emp;
CREATE PUBLICATION pub_emp FOR TABLE hr.emp (emp_no, nm);
COMMENT ON COLUMN hr.emp.nm IS '성명'; COMMENT ON COLUMN pay.emp.amt IS '지급금액'; COMMENT ON COLUMN hr.emp.reg IS '등록일자';
