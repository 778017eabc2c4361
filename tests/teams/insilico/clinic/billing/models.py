"""Invoices."""

from django.db import models
from django.db.models import Sum

from patients.models import Visit


class InvoiceQuerySet(models.QuerySet):
    def due(self):
        return self.exclude(status="paid").order_by("status", "-amount")

    def of_patient(self, patient):
        return self.filter(visit__patient=patient, visit__patient__status="active")

    def totals(self):
        return self.values("status").annotate(amount=Sum("amount"))


class Invoice(models.Model):
    """An invoice; its status is not the patient's."""

    visit = models.OneToOneField(Visit, on_delete=models.PROTECT, related_name="invoice")
    amount = models.DecimalField(max_digits=12, decimal_places=2)
    status = models.CharField(max_length=10, default="open")

    objects = InvoiceQuerySet.as_manager()

    class Meta:
        db_table = "tb_invoice"
        ordering = ["status"]

    def is_paid(self):
        return self.status == "paid"

    @property
    def phone(self):
        return self.visit.patient.phone
