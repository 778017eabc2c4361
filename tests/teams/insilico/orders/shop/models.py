"""Models of the shop: customers, catalogue, orders and payments."""
from decimal import Decimal

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from shop.managers import CustomerQuerySet, OrderManager, ProductQuerySet


class TimeStamped(models.Model):
    """Abstract base with the two bookkeeping columns."""

    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True
        ordering = ["-created_at"]


class Reachable(models.Model):
    """Somebody who can be called."""

    phone = models.CharField(max_length=30, blank=True)
    street = models.CharField(max_length=120, blank=True)
    city = models.CharField(max_length=80, blank=True)

    class Meta:
        abstract = True


class Customer(TimeStamped, Reachable):
    name = models.CharField(max_length=120)
    email = models.EmailField(unique=True)
    is_business = models.BooleanField(default=False)

    objects = CustomerQuerySet.as_manager()

    class Meta:
        ordering = ["name", "email"]
        indexes = [
            models.Index(fields=["email", "name"], name="customer_email_name"),
        ]

    def __str__(self):
        return f"{self.name} <{self.email}>"

    @property
    def mail_domain(self):
        """Part of the email after the at sign."""
        return self.email.rpartition("@")[2]

    def clean(self):
        if self.email:
            self.email = self.email.strip().lower()


class Supplier(TimeStamped, Reachable):
    name = models.CharField(max_length=120)
    email = models.EmailField(blank=True)

    class Meta:
        ordering = ["email"]

    def __str__(self):
        return self.name or self.email


class Product(TimeStamped):
    sku = models.CharField(max_length=32, unique=True)
    name = models.CharField(max_length=200)
    supplier = models.ForeignKey(
        Supplier, null=True, on_delete=models.SET_NULL, related_name="products"
    )
    price = models.DecimalField(max_digits=9, decimal_places=2)
    weight = models.PositiveIntegerField(default=0, help_text="weight in grams")
    stock = models.IntegerField(default=0)

    objects = ProductQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        indexes = [
            models.Index(fields=["supplier", "-price"], name="product_supplier"),
        ]
        constraints = [
            models.CheckConstraint(
                check=Q(price__gte=0),
                name="price_not_negative",
            ),
            models.CheckConstraint(check=Q(stock__gte=0), name="stock_not_negative"),
        ]

    def __str__(self):
        return self.sku

    @property
    def available(self):
        return self.stock > 0

    @property
    def price_with_tax(self):
        # price is always stored net
        return (self.price * Decimal("1.19")).quantize(Decimal("0.01"))

    def take(self, quantity):
        """Lower the stock by quantity, refusing to go below zero."""
        stock = self.stock - quantity
        if stock < 0:
            raise ValidationError("Not enough stock")
        type(self).objects.filter(pk=self.pk).update(stock=F("stock") - quantity)
        self.stock = stock
        StockMovement.objects.create(product=self, quantity=-quantity)


class StockMovement(TimeStamped):
    """One change of the stock of a product."""

    product = models.ForeignKey(Product, on_delete=models.CASCADE, related_name="movements")
    quantity = models.IntegerField()
    reason = models.CharField(max_length=40, blank=True)

    class Meta:
        ordering = ["-created_at", "quantity"]

    def __str__(self):
        return f"{self.product.sku}: {self.quantity:+d}"


class Order(TimeStamped):
    class Status(models.TextChoices):
        OPEN = "open", "Open"
        PAID = "paid", "Paid"
        SENT = "sent", "Sent"
        CANCELLED = "cancelled", "Cancelled"

    customer = models.ForeignKey(Customer, on_delete=models.PROTECT, related_name="orders")
    reference = models.CharField(max_length=20, db_index=True)
    status = models.CharField(
        max_length=12, choices=Status.choices, default=Status.OPEN
    )
    placed_at = models.DateTimeField(default=timezone.now)
    remarks = models.TextField(blank=True)

    objects = OrderManager()

    class Meta:
        ordering = ["-placed_at", "reference"]
        unique_together = [("customer", "reference")]
        indexes = [
            models.Index(
                fields=[
                    "status",
                    "placed_at",
                ],
                name="order_status_placed",
            ),
        ]

    def __str__(self):
        return f"Order {self.reference} ({self.get_status_display()})"

    @property
    def is_open(self):
        return self.status in (self.Status.OPEN, self.Status.PAID)

    @property
    def total(self):
        return sum((line.amount for line in self.lines.all()), Decimal(0))

    def change_status(self, status, save=True):
        """Set a new status and store it unless save is false."""
        if status not in self.Status.values:
            raise ValidationError(f"Unknown status {status}")
        previous, self.status = self.status, status
        if save:
            self.save(update_fields=["status", "updated_at"])
        return previous


class OrderLine(models.Model):
    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="lines")
    product = models.ForeignKey(Product, on_delete=models.PROTECT, related_name="order_lines")
    quantity = models.PositiveSmallIntegerField(default=1)
    price = models.DecimalField(max_digits=9, decimal_places=2)

    class Meta:
        unique_together = ["order", "product"]
        constraints = [
            models.CheckConstraint(check=Q(quantity__gt=0), name="line_has_pieces"),
        ]

    @property
    def amount(self):
        return self.price * self.quantity

    @property
    def grams(self):
        return self.product.weight * self.quantity

    def save(self, *args, **kwargs):
        if self.price is None:
            self.price = self.product.price
        super().save(*args, **kwargs)


class Payment(TimeStamped):
    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="payments")
    reference = models.CharField(max_length=64, unique=True)
    status = models.CharField(max_length=10, default="pending")
    amount = models.DecimalField(max_digits=10, decimal_places=2)

    class Meta:
        ordering = ["reference"]

    def settle(self):
        self.status = "settled"
        self.save(update_fields=["status"])
        self.order.change_status(Order.Status.PAID)

    def describe(self):
        return f"{self.reference} for {self.order.reference}"
