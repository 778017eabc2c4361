import logging

from django.http import JsonResponse

from .models import Attendance, Student

logger = logging.getLogger("academy")


def check_in(request, pk):
    student = Student.objects.get(pk=pk)
    Attendance.objects.create(student=student, day=request.GET["day"])
    logger.info("출석 처리 완료 pk=%s", pk)
    return JsonResponse({"ok": True})


def absent_count(day):
    n = Attendance.objects.filter(day=day, present=False).count()
    logger.debug("결석 %d명", n)
    return n
