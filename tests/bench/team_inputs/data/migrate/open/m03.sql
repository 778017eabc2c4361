CREATE TABLE person (
  id serial PRIMARY KEY,
  nm varchar(50) NOT NULL,
  birth char(8)
);
CREATE TABLE staff (
  dept varchar(10),
  pay numeric(12)
) INHERITS (person);
CREATE TABLE boss (car varchar(20)) INHERITS (staff);
ALTER TABLE staff ADD CONSTRAINT staff_pk PRIMARY KEY (id);
CREATE MATERIALIZED VIEW mv_pay AS SELECT dept, sum(pay) AS pay FROM staff GROUP BY dept;
CREATE UNIQUE INDEX mv_pay_ux ON mv_pay (dept);
CREATE FUNCTION raise_pay(p_dept text) RETURNS void LANGUAGE sql AS 'UPDATE staff SET pay = pay * 1.1 WHERE dept = p_dept';
CREATE FUNCTION dept_of(p int) RETURNS text LANGUAGE sql BEGIN ATOMIC SELECT dept FROM staff WHERE id = p; END;
COMMENT ON COLUMN person.nm IS '성명';
COMMENT ON COLUMN person.birth IS '생년월일';
COMMENT ON COLUMN staff.nm IS '직원명';
INSERT INTO boss (nm, birth, dept, pay, car) VALUES ('김', '19700101', 'A', 100, 'x');
