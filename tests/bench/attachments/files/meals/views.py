from django.http import JsonResponse
from django.shortcuts import get_object_or_404

from .models import Student
from .services import cancel_all, order_meal


def order(request, student_id):
    student = get_object_or_404(Student, pk=student_id)
    made = order_meal(student, request.POST["day"], request.POST["menu"])
    return JsonResponse({"id": made.pk})


def stop(request, student_id):
    cancel_all(get_object_or_404(Student, pk=student_id))
    return JsonResponse({"ok": True})
