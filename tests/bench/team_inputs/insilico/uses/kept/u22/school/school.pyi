from .people import Student, Teacher

def grade_of(student: Student) -> int: ...

class Report:
    grade: str
