from django.db import models
from django.db.models import F, Q


class Doctor(models.Model):
    name = models.CharField(max_length=60)
    ward = models.CharField(max_length=20)

    def busy_days(self):
        return self.appointments.values_list("day", flat=True)


class Appointment(models.Model):
    doctor = models.ForeignKey(Doctor, related_name="appointments", on_delete=models.PROTECT)
    patient = models.CharField(max_length=60)
    day = models.DateField()

    class Meta:
        ordering = ("day", "doctor__name")
        unique_together = [("doctor", "patient", "day")]

    def __str__(self):
        return f"{self.patient} with {self.doctor.name}"

    def same_ward(self):
        return Appointment.objects.filter(doctor__ward=self.doctor.ward)


class Prescription(models.Model):
    appointment = models.ForeignKey(Appointment, on_delete=models.CASCADE)
    doctor = models.ForeignKey(Doctor, related_name="+", on_delete=models.PROTECT)
    drug = models.CharField(max_length=40)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["appointment", "doctor", "drug"], name="once"),
        ]

    def by_other(self):
        return self.doctor_id != self.appointment.doctor_id

    @classmethod
    def foreign(cls):
        return cls.objects.exclude(doctor=F("appointment__doctor"))
