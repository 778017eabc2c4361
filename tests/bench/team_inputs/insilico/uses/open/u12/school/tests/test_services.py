from school.courses import services
from school.courses.http import ApiError

from .factories import CouponFactory, CourseFactory, EnrolmentFactory


def test_lookup(db):
    course = CourseFactory(code="go")
    assert services.lookup(["go"]) == {"go": course}
    assert services.code_of(course) == course.code


def test_coupon(db):
    one = EnrolmentFactory(coupon__code="X", course__code="js")
    assert one.coupon.code == "X"
    assert one.course.code == "js"
    assert ApiError(404).code == 404


def test_batch(db):
    made = CourseFactory.create_batch(2)
    assert [c.code for c in made] == sorted(c.code for c in made)
