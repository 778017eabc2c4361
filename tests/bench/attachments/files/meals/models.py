from django.db import models


class Student(models.Model):
    name = models.CharField(max_length=40)
    allergy = models.TextField(blank=True)
    parent_phone = models.CharField(max_length=20)

    def __str__(self):
        return self.name


class MealOrder(models.Model):
    student = models.ForeignKey(Student, on_delete=models.CASCADE)
    served_on = models.DateField()
    menu_code = models.CharField(max_length=8)
    cancelled = models.BooleanField(default=False)

    def cancel(self):
        self.cancelled = True
        self.save()
