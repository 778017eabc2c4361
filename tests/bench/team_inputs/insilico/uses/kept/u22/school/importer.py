import csv
import json
from dataclasses import asdict, replace

from .people import Exchange, Grade, Student, StudentOut, Teacher


class BadGrade(ValueError):
    def __init__(self, grade: str) -> None:
        super().__init__(grade)
        self.grade = grade


def parse(row: dict[str, str]) -> Student:
    try:
        grade = Grade[row["grade"]]
    except KeyError:
        raise BadGrade(row["grade"]) from None
    return Student(row["name"], grade=grade)


def read(path: str) -> list[Student]:
    students, errors = [], []
    with open(path) as file:
        for row in csv.DictReader(file):
            try:
                students.append(parse(row))
            except BadGrade as error:
                errors.append(error)
    try:
        if errors:
            raise ExceptionGroup("bad", errors)
    except* BadGrade as group:
        print([e.grade for e in group.exceptions])
    return students


def promote(student: Student) -> Student:
    return replace(student, grade=Grade(max(1, student.grade - 1)))


def raise_teacher(teacher: Teacher, to: int) -> Teacher:
    return replace(teacher, grade=f"A{to}")


def out(students: list[Student]) -> str:
    return json.dumps([StudentOut.model_validate(s).model_dump() for s in students])


def rows(students: list[Student]):
    for student in students:
        row = asdict(student)
        row["grade"] = row["grade"].name
        yield row


def sql(s: Student) -> str:
    return f"UPDATE student SET grade = {s.grade:d} WHERE name = '{s.name.replace("'", "''")}'"


def exchange(data: dict) -> Exchange:
    return Exchange(**data | {"grade": Grade(data.pop("grade"))})
