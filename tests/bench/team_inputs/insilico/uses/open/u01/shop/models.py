from decimal import Decimal

from django.db import models
from django.db.models import F, Q, Sum


class Customer(models.Model):
    name = models.CharField(max_length=80)
    email = models.EmailField(unique=True)

    def spent(self):
        return self.orders.aggregate(s=Sum("total"))["s"] or Decimal(0)


class OrderQuerySet(models.QuerySet):
    def large(self, at_least=Decimal("100")):
        return self.filter(total__gte=at_least)

    def unpaid(self):
        return self.exclude(paid__gte=F("total"))


class Order(models.Model):
    customer = models.ForeignKey(Customer, related_name="orders", on_delete=models.CASCADE)
    total = models.DecimalField(max_digits=10, decimal_places=2, default=0)
    paid = models.DecimalField(max_digits=10, decimal_places=2, default=0)
    placed_at = models.DateTimeField(auto_now_add=True)

    objects = OrderQuerySet.as_manager()

    class Meta:
        ordering = ["-placed_at", "-total"]
        indexes = [models.Index(fields=["customer", "total"], name="order_cust_idx")]
        constraints = [
            models.CheckConstraint(check=Q(total__gte=0), name="order_not_negative"),
        ]

    def __str__(self):
        return f"#{self.pk} {self.total:.2f}"

    @property
    def open_amount(self):
        return self.total - self.paid

    def recompute(self):
        total = sum(line.amount for line in self.lines.all())
        self.total = total
        self.save(update_fields=["total"])


class OrderLine(models.Model):
    order = models.ForeignKey(Order, related_name="lines", on_delete=models.CASCADE)
    sku = models.CharField(max_length=20)
    amount = models.DecimalField(max_digits=10, decimal_places=2)

    def share(self):
        return self.amount / self.order.total


class Invoice(models.Model):
    order = models.OneToOneField(Order, related_name="invoice", on_delete=models.CASCADE)
    total = models.DecimalField(max_digits=10, decimal_places=2)
    number = models.CharField(max_length=16)

    class Meta:
        ordering = ("total",)

    def matches(self):
        return self.order.total == self.total
