from django.db import models


class Course(models.Model):
    code = models.SlugField(primary_key=True)
    title = models.CharField(max_length=80)

    def __str__(self):
        return self.code

    def get_absolute_url(self):
        return f"/courses/{self.code}/"


class Coupon(models.Model):
    code = models.CharField(max_length=12, unique=True)
    percent = models.IntegerField(default=10)

    def valid(self):
        return bool(self.code) and 0 < self.percent <= 100


class Enrolment(models.Model):
    course = models.ForeignKey(Course, to_field="code", on_delete=models.CASCADE)
    coupon = models.ForeignKey(Coupon, null=True, on_delete=models.SET_NULL)
    student = models.CharField(max_length=60)

    class Meta:
        ordering = ["course__code", "student"]

    def label(self):
        used = f" with {self.coupon.code}" if self.coupon else ""
        return f"{self.student} in {self.course.code}{used}"
