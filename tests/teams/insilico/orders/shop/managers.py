"""Querysets and managers; imported by shop.models, hence no model imports here."""
from datetime import timedelta

from django.apps import apps
from django.db import models
from django.db.models import Count, F, OuterRef, Q, Subquery, Sum
from django.utils import timezone


class CustomerQuerySet(models.QuerySet):
    def by_mail(self, address):
        return self.filter(email__iexact=address.strip())

    def reachable(self):
        return self.exclude(email="").exclude(email__endswith="@invalid.example")

    def addresses(self):
        return list(self.reachable().values_list("email", flat=True))

    def with_open_orders(self):
        return self.filter(orders__status="open").distinct()

    def ranked(self):
        return self.annotate(
            pieces=Sum("orders__lines__quantity"),
            spent=Sum(F("orders__lines__quantity") * F("orders__lines__price")),
        ).order_by("-spent", "email")

    def last_reference(self):
        Order = apps.get_model("shop", "Order")
        newest = Order.objects.filter(customer=OuterRef("pk")).order_by("-placed_at")
        return self.annotate(last_ref=Subquery(newest.values("reference")[:1]))

    def register(self, email, **extra):
        """Fetch or create the customer with this email."""
        email = email.strip().lower()
        return self.get_or_create(email=email, defaults={"name": email, **extra})


class ProductQuerySet(models.QuerySet):
    def in_stock(self):
        return self.filter(stock__gt=0)

    def sold_out(self):
        return self.filter(Q(stock__lte=0) | Q(stock__isnull=True))

    def between(self, low, high):
        return self.filter(price__range=(low, high)).order_by("price")

    def heavy(self, weight=10_000):
        return self.filter(weight__gte=weight).order_by("-weight", "sku")

    def raise_price(self, percent):
        factor = 1 + percent / 100
        return self.update(price=F("price") * factor)

    def slim(self):
        return self.only("sku", "name", "price").defer("weight")

    def with_value(self):
        return self.annotate(
            value=F("price") * F("stock"),
            sold=Sum("order_lines__quantity", filter=Q(order_lines__order__status="sent")),
            booked=Sum("movements__quantity"),
        )

    def mismatch(self):
        # stock should be the sum of all movements
        return self.with_value().exclude(stock=F("booked"))


class OrderQuerySet(models.QuerySet):
    def with_status(self, *status):
        return self.filter(status__in=status)

    def open(self):
        return self.with_status("open", "paid")

    def late(self, days=3):
        limit = timezone.now() - timedelta(days=days)
        return self.filter(
            status="paid",
            placed_at__lt=limit,
        ).exclude(shipments__status="delivered")

    def unpaid(self):
        return self.exclude(payments__status="settled").filter(~Q(status="cancelled"))

    def never_scanned(self):
        return self.filter(shipments__isnull=False, shipments__tracked_at__isnull=True)

    def of_mail(self, email):
        return self.filter(customer__email=email)

    def weighed(self):
        return self.annotate(
            weight=Sum(F("lines__quantity") * F("lines__product__weight"))
        ).order_by("-weight")

    def tally(self):
        rows = self.order_by().values("status").annotate(n=Count("pk"))
        return {row["status"]: row["n"] for row in rows}


class OrderManager(models.Manager.from_queryset(OrderQuerySet)):
    def get_by_natural_key(self, reference):
        return self.get(reference=reference)

    def next_reference(self):
        last = self.order_by("-reference").values_list("reference", flat=True).first()
        number = int(last.split("-")[1]) + 1 if last else 1
        return f"O-{number:06d}"

    def place(self, customer, basket):
        """Create an order from a basket of {product: quantity}."""
        order = self.create(
            customer=customer,
            reference=self.next_reference(),
            status="open",
        )
        for product, quantity in basket.items():
            order.lines.create(product=product, quantity=quantity, price=product.price)
        return order
