CREATE TABLE student (
  id            serial PRIMARY KEY,
  student_name  varchar(40) NOT NULL,
  parent_phone  varchar(20) NOT NULL,
  school_name   varchar(60),
  enrolled_on   date NOT NULL
);
COMMENT ON TABLE student IS '수강생 (보유기간 수강 종료 후 2년)';
COMMENT ON COLUMN student.student_name IS '학생 이름';
COMMENT ON COLUMN student.parent_phone IS '보호자 휴대전화번호';
COMMENT ON COLUMN student.school_name IS '학교명';
