"""Carriers, shipments and their parcels."""
from django.db import models
from django.db.models import Max, Sum
from django.utils import timezone

from shop.models import Order, TimeStamped


class Carrier(models.Model):
    code = models.SlugField(unique=True)
    name = models.CharField(max_length=80)
    email = models.EmailField(blank=True)
    max_weight = models.PositiveIntegerField(default=31_500)

    def __str__(self):
        return self.name

    def accepts(self, weight):
        return weight <= self.max_weight


class TrackedBase(TimeStamped):
    """Common part of shipments and parcels."""

    tracking_code = models.CharField(max_length=40, blank=True)

    class Meta:
        abstract = True

    @property
    def silent_for(self):
        """Time since tracked_at."""
        return timezone.now() - self.tracked_at if self.tracked_at else None


class Shipment(TrackedBase):
    STATUS = [("new", "new"), ("moving", "on its way"), ("delivered", "delivered")]

    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="shipments")
    carrier = models.ForeignKey(Carrier, on_delete=models.PROTECT, related_name="shipments")
    status = models.CharField(max_length=10, choices=STATUS, default="new")
    tracked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-tracked_at", "status"]
        get_latest_by = "tracked_at"
        indexes = [models.Index(fields=["carrier", "tracked_at"], name="ship_tracked_at")]

    def __str__(self):
        return f"{self.order.reference}/{self.tracking_code}"

    @property
    def weight(self):
        return self.parcels.aggregate(total=Sum("weight"))["total"] or 0

    def refresh(self):
        """Take tracked_at over from the parcels."""
        newest = self.parcels.aggregate(Max("tracked_at"))["tracked_at__max"]
        if newest and (self.tracked_at is None or newest > self.tracked_at):
            self.tracked_at = newest
            self.status = "moving"
            self.save(update_fields=["tracked_at", "status"])


class Parcel(TrackedBase):
    shipment = models.ForeignKey(Shipment, on_delete=models.CASCADE, related_name="parcels")
    weight = models.PositiveIntegerField(default=0)
    tracked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["shipment__tracked_at", "-weight"]

    def scanned(self, when=None):
        self.tracked_at = when or timezone.now()
        self.save(update_fields=["tracked_at"])
        self.shipment.refresh()
