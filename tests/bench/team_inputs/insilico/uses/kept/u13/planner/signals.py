from django.db.models.signals import post_save, pre_save
from django.dispatch import receiver

from .models import Invoice, Task


@receiver(pre_save, sender=Task)
def keep_order(sender, instance, **kwargs):
    if instance.project.due and instance.due > instance.project.due:
        instance.due = instance.project.due


@receiver(post_save, sender=Invoice)
def remind(sender, instance, created, **kwargs):
    if created:
        print("pay until", instance.due)
