from django.contrib import admin

from .models import MealOrder, Student

admin.site.register(Student)
admin.site.register(MealOrder)
