from collections.abc import Iterable

from .people import Class_, Exchange, Grade, Key, Person, Road, Student, Teacher


def best[S: Student](students: Iterable[S]) -> S:
    return min(students, key=lambda s: s.grade)


def ranked[T](items: list[T], key: Key[T]) -> list[T]:
    return sorted(items, key=key)


class Register[P: (Student, Teacher)]:
    def __init__(self, people: list[P]) -> None:
        self.people = people

    def grades(self) -> set:
        return {p.grade for p in self.people}

    def one(self) -> P:
        return self.people[0]


def mean(class_: Class_) -> float:
    return sum(student.grade for student in class_) / len(class_)


def by_name(class_: Class_) -> dict[str, Grade]:
    return {s.name: s.grade for s in class_}


def describe(person: Person) -> str:
    match person:
        case Student(name=name, grade=Grade.F):
            return f"{name} failed"
        case Student(grade=grade) if grade > 3:
            return f"{person.name} struggles"
        case Teacher(grade=grade):
            return f"{person.name} is paid {grade}"
    return person.name


def order(class_: Class_) -> list[Student]:
    return ranked(class_, lambda s: s.grade)


def teacher(register: Register[Teacher]) -> str:
    return register.one().grade


def student(register: Register[Student]) -> int:
    return register.one().grade


def steep(roads: list[Road]) -> list[Road]:
    return [r for r in roads if r.grade > 0.1]


def abroad(students: list[Exchange]) -> list[Grade]:
    return [s.grade for s in students]
