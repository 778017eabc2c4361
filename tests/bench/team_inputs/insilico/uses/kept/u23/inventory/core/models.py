from django.contrib.auth.models import User
from django.db import models
from django.db.models import Exists, F, OuterRef, Q

from inventory.core.base import Numbered, Tracked


class DeviceQuerySet(models.QuerySet):
    def known(self, serials):
        return self.filter(serial__in=serials)

    def licensed(self):
        return self.filter(Exists(License.objects.filter(device=OuterRef("pk"), serial__gt=0)))


class Device(Tracked):
    kind = models.CharField(max_length=20)
    owner = models.ForeignKey(User, null=True, related_name="devices", on_delete=models.SET_NULL)

    objects = DeviceQuerySet.as_manager()

    class Meta(Tracked.Meta):
        constraints = [models.UniqueConstraint("serial", "kind", name="one")]

    def __str__(self):
        return f"{self.kind} {self.serial}"

    def save(self, *args, **kwargs):
        self.serial = self.serial.upper()
        super().save(*args, **kwargs)


class License(Numbered):
    device = models.ForeignKey(Device, related_name="licenses", on_delete=models.CASCADE)
    vendor = models.CharField(max_length=20)

    class Meta:
        unique_together = (("vendor", "serial"),)

    def text(self):
        return f"{self.vendor}-{self.serial} on {self.device.serial}"


class Repair(models.Model):
    device = models.ForeignKey(Device, on_delete=models.CASCADE)
    license = models.ForeignKey(License, null=True, on_delete=models.SET_NULL)
    cost = models.IntegerField(default=0)

    class Meta:
        ordering = ("device__serial", "-cost")

    @property
    def title(self):
        return "Repair of " + self.device.serial
