"""Who comes to the clinic, and when."""

from django.db import models
from django.db.models import Index, Q

from patients.managers import PatientQuerySet, VisitQuerySet


class Doctor(models.Model):
    """A doctor has a phone and a status of their own."""

    name = models.CharField(max_length=80)
    phone = models.CharField(max_length=20, blank=True)
    status = models.CharField(max_length=10, default="present")

    class Meta:
        db_table = "tb_doctor"
        ordering = ["name"]

    def __str__(self):
        return f"{self.name} ({self.status})"

    @property
    def is_present(self):
        return self.status == "present"


class Patient(models.Model):
    """A patient; the status says whether the file is open."""

    class Status(models.TextChoices):
        ACTIVE = "active", "Active"
        CLOSED = "closed", "Closed"

    name = models.CharField(max_length=80)
    birth_date = models.DateField(null=True)
    phone = models.CharField(max_length=20, blank=True)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.ACTIVE)
    family_doctor = models.ForeignKey(
        Doctor, on_delete=models.SET_NULL, null=True, related_name="families"
    )

    objects = PatientQuerySet.as_manager()

    class Meta:
        db_table = "tb_patient"
        ordering = ["name", "birth_date"]
        unique_together = [("name", "birth_date", "phone")]
        indexes = [Index(fields=["status", "-birth_date"], name="patient_status_idx")]
        constraints = [
            models.CheckConstraint(check=Q(status__in=["active", "closed"]), name="status_known"),
        ]

    def __str__(self):
        # status is not shown here
        return self.name

    @property
    def is_active(self):
        return self.status == self.Status.ACTIVE

    @property
    def age(self):
        if self.birth_date is None:
            return None
        return (date_today() - self.birth_date).days // 365

    def close(self):
        """Set the status and tell who asked."""
        self.status = self.Status.CLOSED
        self.save(update_fields=["status"])

    def masked_phone(self):
        return self.phone[:3] + "****"


class Visit(models.Model):
    patient = models.ForeignKey(Patient, on_delete=models.CASCADE, related_name="visits")
    doctor = models.ForeignKey(Doctor, on_delete=models.PROTECT, related_name="visits")
    planned_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    reason = models.TextField(blank=True)

    objects = VisitQuerySet.as_manager()

    class Meta:
        db_table = "tb_visit"
        get_latest_by = "started_at"
        indexes = [Index(fields=["doctor", "started_at"])]

    @property
    def waited(self):
        return self.started_at - self.planned_at if self.started_at else None


def date_today():
    from datetime import date

    return date.today()
