"""Background jobs (Celery)."""
import csv
import logging
from decimal import Decimal
from operator import attrgetter

import requests
from celery import shared_task
from django.conf import settings
from django.core.mail import send_mail

from shop.models import Customer, Order, OrderLine, Product, StockMovement

logger = logging.getLogger(__name__)


@shared_task
def mail_customer(email, subject, body=""):
    # email is a plain string here, so the task can be serialised
    send_mail(subject, body, settings.DEFAULT_FROM_EMAIL, [email])


@shared_task
def notify_purchaser(product_id, stock):
    product = Product.objects.select_related("supplier").get(pk=product_id)
    supplier = product.supplier
    if supplier and supplier.email:
        send_mail(
            f"{product.sku}: stock down to {stock}",
            f"Price so far: {product.price}",
            settings.DEFAULT_FROM_EMAIL,
            [supplier.email],
        )


@shared_task
def load_price_feed():
    response = requests.get(settings.PRICE_FEED_URL, timeout=20)
    if response.status_code != 200:
        logger.error("price feed answered with status %s", response.status_code)
        return 0
    changed = []
    known = {p.sku: p for p in Product.objects.all()}
    for item in response.json()["items"]:
        product = known.get(item["sku"])
        price = Decimal(item["price"])
        if product is None or product.price == price:
            continue
        product.price = price
        product.weight = item.get("weight") or product.weight
        changed.append(product)
    Product.objects.bulk_update(changed, ["price", "weight"], batch_size=500)
    return len(changed)


@shared_task
def recount_stock():
    """Make the stock of every product equal to the sum of its movements."""
    for product in Product.objects.iterator():
        stock = sum(StockMovement.objects.filter(product=product).values_list("quantity", flat=True))
        if product.stock != stock:
            logger.warning("stock of %s was %d, is %d", product.sku, product.stock, stock)
            Product.objects.filter(pk=product.pk).update(stock=stock)


@shared_task
def cancel_forgotten():
    orders = list(Order.objects.late(days=30).filter(payments__isnull=True))
    for order in orders:
        order.status = Order.Status.CANCELLED
    Order.objects.bulk_update(orders, ["status"])
    return [order.reference for order in sorted(orders, key=attrgetter("reference"))]


@shared_task
def merge_customers(keep_id, drop_id):
    keep, drop = Customer.objects.get(pk=keep_id), Customer.objects.get(pk=drop_id)
    drop.orders.update(customer=keep)
    if not keep.email:
        keep.email, drop.email = drop.email, ""
        keep.save(update_fields=["email"])
    drop.delete()


def import_lines(stream, order):
    """CSV with the columns sku, quantity and price."""
    lines = []
    for row in csv.DictReader(stream):
        lines.append(
            OrderLine(
                order=order,
                product=Product.objects.get(sku=row["sku"]),
                quantity=int(row["quantity"]),
                price=Decimal(row["price"]),
            )
        )
    return OrderLine.objects.bulk_create(lines, update_conflicts=True,
                                         unique_fields=["order", "product"],
                                         update_fields=["quantity"])


def snapshot(obj):
    """Used for the audit trail; obj may be any model of the shop."""
    return {
        "state": obj.status if hasattr(obj, "status") else None,
        "key": getattr(obj, "reference", obj.pk),
        "count": getattr(obj, "quantity", 0),
    }
