from collections import Counter
from typing import Optional, Union

from django.db.models import Count, F, Value
from django.db.models.functions import Concat, Upper

from .models import Coupon, Course, Enrolment

Coded = Union[Course, Coupon]


def code_of(thing: Coded) -> str:
    return getattr(thing, "code")


def enrol(student: str, course: Course, code: Optional[str] = None) -> Enrolment:
    coupon = Coupon.objects.filter(code=code).first() if code else None
    return Enrolment.objects.create(student=student, course=course, coupon=coupon)


def popular():
    rows = Enrolment.objects.values("course__code").annotate(n=Count("pk")).order_by("-n")
    return [(row["course__code"], row["n"]) for row in rows]


def coupons_used() -> Counter:
    return Counter(Enrolment.objects.exclude(coupon=None).values_list("coupon__code", flat=True))


def labels():
    return Course.objects.annotate(
        label=Concat(Upper("code"), Value(" "), F("title"))
    ).values_list("label", flat=True)


def lookup(codes: list[str]) -> dict[str, Course]:
    return Course.objects.in_bulk(codes, field_name="code")


def rename(old: str, new: str) -> int:
    return Course.objects.filter(code=old).update(code=new)


def rename_coupon(old: str, new: str) -> int:
    return Coupon.objects.filter(code__iexact=old).update(code=new)
