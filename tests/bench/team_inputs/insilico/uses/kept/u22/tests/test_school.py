from school.importer import BadGrade, parse, promote, rows
from school.people import Grade, Road, Student, StudentOut, Teacher
from school.ranking import Register, best, mean


def test_parse():
    student = parse({"name": "Kim", "grade": "A"})
    assert student.grade is Grade.A
    assert promote(student).grade == 1


def test_rows():
    (row,) = rows([Student("Lee", grade=Grade.F)])
    assert row["grade"] == "F"


def test_others():
    assert Teacher("T", grade="A12").salary() == 4200
    assert Road(length=3).grade == 0
    assert BadGrade("X").grade == "X"
    assert Register([Teacher("T")]).one().grade == "A13"
    assert StudentOut(name="x", grade=1).grade == 1
    assert best([Student("a")]).grade == Grade.A
