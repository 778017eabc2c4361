import factory

from school.courses.models import Coupon, Course, Enrolment


class CourseFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Course
        django_get_or_create = ("code",)

    code = factory.Sequence(lambda n: f"c{n}")
    title = factory.LazyAttribute(lambda o: f"Course {o.code}")


class CouponFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Coupon

    code = factory.Faker("lexify", text="????")


class EnrolmentFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Enrolment

    course = factory.SubFactory(CourseFactory, code="py")
    coupon = factory.SubFactory(CouponFactory, code="SALE")
    student = "Lee"
