from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404

from .models import Coupon, Course, Enrolment
from .services import enrol


def detail(request, code):
    course = get_object_or_404(Course, code=code)
    return JsonResponse({"code": course.code, "title": course.title})


def check(request):
    code = request.GET.get("code")
    try:
        coupon = Coupon.objects.get(code=code)
    except Coupon.DoesNotExist as error:
        return HttpResponse(str(error), status=404)
    return JsonResponse({"code": coupon.code})


def students(request, code):
    rows = Enrolment.objects.filter(course__code=code).select_related("course", "coupon")
    return JsonResponse({"rows": [
        {"who": r.student, "course": r.course.code, "coupon": r.coupon and r.coupon.code}
        for r in rows
    ]})


class ApiError(Exception):
    def __init__(self, code: int) -> None:
        self.code = code


def guard(answer: HttpResponse) -> HttpResponse:
    if answer.status_code >= 500:
        raise ApiError(code=answer.status_code)
    return answer
