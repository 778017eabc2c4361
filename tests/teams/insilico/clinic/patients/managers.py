"""Queries that several parts of the clinic need."""

from datetime import date, timedelta

from django.db import models
from django.db.models import Count, F, Q


class PatientQuerySet(models.QuerySet):
    """Patients, narrowed."""

    def active(self):
        """Patients whose status is not closed."""
        return self.exclude(status="closed")

    def with_status(self, status):
        return self.filter(status=status)

    def born_before(self, day: date):
        return self.filter(birth_date__lt=day).order_by("birth_date", "-pk")

    def adults(self):
        limit = date.today() - timedelta(days=365 * 18)
        return self.born_before(limit)

    def search(self, text):
        return self.filter(Q(name__icontains=text) | Q(phone__startswith=text))

    def busiest(self):
        return self.annotate(visits_count=Count("visits")).order_by("-visits_count")


class VisitQuerySet(models.QuerySet):
    def open(self):
        return self.filter(ended_at__isnull=True, patient__status="active")

    def of_doctor(self, doctor_id):
        return self.filter(doctor_id=doctor_id)

    def late(self):
        return self.filter(started_at__gt=F("planned_at") + timedelta(minutes=15))

    def latest_first(self):
        return self.select_related("patient", "doctor").order_by("-started_at")
