"""Ordering rules."""
from .models import MealOrder, Student


def order_meal(student: Student, day, menu_code):
    """Create one order unless the menu is forbidden."""
    if is_forbidden(student, menu_code):
        raise ValueError("알레르기 식단입니다")
    return MealOrder.objects.create(student=student, served_on=day, menu_code=menu_code)


def is_forbidden(student, menu_code):
    return menu_code in (student.allergy or "").split(",")


def cancel_all(student):
    for order in MealOrder.objects.filter(student=student, cancelled=False):
        order.cancel()
