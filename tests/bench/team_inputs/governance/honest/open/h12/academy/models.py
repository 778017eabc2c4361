from django.db import models


class Student(models.Model):
    """수강생"""

    student_name = models.CharField("이름", max_length=40)
    parent_phone = models.CharField("보호자 연락처", max_length=20)
    school_name = models.CharField("학교명", max_length=60, blank=True)
    enrolled_on = models.DateField("등록일")

    class Meta:
        db_table = "student"


class Attendance(models.Model):
    student = models.ForeignKey(Student, on_delete=models.CASCADE)
    day = models.DateField()
    present = models.BooleanField(default=True)
