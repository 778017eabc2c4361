CREATE TABLE dept (
  comp_cd CHAR(2) NOT NULL, dept_code CHAR(4) NOT NULL, dept_name VARCHAR(40) COMMENT '부서명',
  PRIMARY KEY (comp_cd, dept_code)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='부서';
CREATE TABLE emp (
  emp_no INT UNSIGNED NOT NULL AUTO_INCREMENT,
  `select` VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL DEFAULT 'it''s' COMMENT 'a, b; ''c''',
  comp_cd CHAR(2), dept_code CHAR(4),
  price DECIMAL(10,2) NOT NULL, qty INT NOT NULL DEFAULT 1,
  total DECIMAL(14,2) GENERATED ALWAYS AS (price * qty) STORED COMMENT '합계',
  chg DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
  PRIMARY KEY (emp_no),
  KEY ix (dept_code, comp_cd),
  CONSTRAINT emp_dept FOREIGN KEY (comp_cd, dept_code) REFERENCES dept (comp_cd, dept_code) ON UPDATE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
CREATE VIEW v_emp AS SELECT emp_no, dept_code, total FROM emp;
DELIMITER $$
CREATE TRIGGER emp_bi BEFORE INSERT ON emp FOR EACH ROW
BEGIN
  IF NEW.`select` = '' THEN SET NEW.`select` = 'x;y'; END IF;
END$$
CREATE PROCEDURE p_dept(IN d CHAR(4))
BEGIN
  SELECT dept_name FROM dept WHERE dept_code = d;
END$$
DELIMITER ;
INSERT INTO dept VALUES ('01', 'A001', '총무'); INSERT INTO emp (comp_cd, dept_code, price, qty) VALUES ('01', 'A001', 10, 2);
