import logging
from datetime import date

from models import Student

logger = logging.getLogger(__name__)


def enrol(session, first_name, last_name, guardian_email, dob, grade):
    student = Student(
        first_name=first_name,
        last_name=last_name,
        guardian_email=guardian_email,
        date_of_birth=dob,
        grade=grade,
    )
    session.add(student)
    session.commit()
    logger.info("enrolled %s %s, welcome mail goes to %s", first_name, last_name, student.guardian_email)
    return student.id


def age(student, today=None):
    today = today or date.today()
    born = student.date_of_birth
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


def promote(session, grade):
    n = session.query(Student).filter(Student.grade == grade).update({"grade": grade + 1})
    session.commit()
    logger.info("promoted %d students of grade %d", n, grade)
