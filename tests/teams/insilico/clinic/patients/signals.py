"""What happens when something is saved."""

import logging

from django.db.models.signals import post_save, pre_save
from django.dispatch import Signal, receiver

from patients.models import Patient, Visit

log = logging.getLogger("clinic")
status = Signal()


@receiver(pre_save, sender=Patient)
def normalise(sender, instance: Patient, **kwargs):
    instance.phone = instance.phone.replace("-", "")
    if not instance.status:
        instance.status = Patient.Status.ACTIVE


@receiver(post_save, sender=Visit)
def reopen(sender, instance: Visit, created, **kwargs):
    if created and instance.patient.status == "closed":
        instance.patient.status = "active"
        instance.patient.save()
        status.send(sender=sender, status="reopened")
    log.info("visit %s of doctor %s", instance.pk, instance.doctor_id)
