from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import overload, override

from pydantic import BaseModel, ConfigDict

type Key[T] = Callable[[T], int]
type Person = Student | Teacher
type Class_ = list[Student]


class Grade(IntEnum):
    A = 1
    F = 6


@dataclass(slots=True)
class Student:
    name: str
    grade: Grade = Grade.A
    absences: int = 0

    @property
    def passed(self) -> bool:
        return self.grade < Grade.F

    def report(self) -> str:
        return f"{self.name}: {f"{self.grade.name}"}"


@dataclass(slots=True)
class Exchange(Student):
    country: str = "KR"

    @override
    def report(self) -> str:
        return f"{self.country} {self.grade:d}"


@dataclass(slots=True)
class Teacher:
    name: str
    grade: str = "A13"

    def salary(self) -> int:
        return 3000 + 100 * int(self.grade[1:])


class StudentOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    name: str
    grade: int


class Road(BaseModel):
    grade: float = 0.0
    length: int
