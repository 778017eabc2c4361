"""Talks to the carriers' web services and packs orders into parcels."""
import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Iterable, Optional

import requests
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from logistics.models import Carrier, Parcel, Shipment
from shop.models import Order, OrderLine

log = logging.getLogger(__name__)


class CarrierError(Exception):
    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


@dataclass
class Label:
    """What gets printed; reference and weight are text here."""

    reference: str
    weight: str
    email: str = ""
    status: str = "draft"


@dataclass
class Box:
    limit: int
    weight: int = 0
    items: list = field(default_factory=list)

    def fits(self, weight):
        return self.weight + weight <= self.limit


def pack(order: Order, carrier: Carrier) -> list:
    """First-fit packing by weight."""
    boxes = []
    lines = order.lines.select_related("product").order_by("-product__weight")
    for line in lines:
        for _ in range(line.quantity):
            weight = line.product.weight
            box = next((b for b in boxes if b.fits(weight)), None)
            if box is None:
                box = Box(limit=carrier.max_weight)
                boxes.append(box)
            box.items.append(line.product.sku)
            box.weight += weight
    return boxes


@transaction.atomic
def ship(order: Order, carrier: Carrier) -> Shipment:
    if order.status != "paid":
        raise ValueError(f"order has status {order.status}")
    shipment, created = Shipment.objects.get_or_create(
        order=order,
        carrier=carrier,
        defaults={"status": "new", "tracked_at": None},
    )
    if created:
        for box in pack(order, carrier):
            Parcel.objects.create(shipment=shipment, weight=box.weight)
    Order.objects.filter(pk=order.pk).update(status="sent", updated_at=timezone.now())
    return shipment


def make_label(shipment: Shipment) -> Label:
    order = shipment.order
    label = Label(
        reference=order.reference,
        weight=f"{shipment.weight / 1000:.1f} kg",
        email=order.customer.email,
    )
    label.status = "ready"
    log.debug("label for %s, weight %s", label.reference, label.weight)
    return label


def announce(shipment: Shipment) -> None:
    """Tell the carrier about the shipment."""
    label = make_label(shipment)
    body = {
        "reference": label.reference,
        "weight": label.weight,
        "notify": {"email": label.email},
        "goods": [
            {"sku": line.product.sku, "quantity": line.quantity, "price": str(line.price)}
            for line in OrderLine.objects.filter(order=shipment.order).select_related("product")
        ],
    }
    answer = requests.post(f"https://{shipment.carrier.code}.example/v1/shipments", json=body, timeout=30)
    if answer.status_code >= 400:
        raise CarrierError(answer.status_code, answer.text)
    Shipment.objects.filter(pk=shipment.pk).update(
        tracking_code=answer.json()["code"],
        tracked_at=timezone.now(),
        status="moving",
    )


def poll(carrier: Carrier) -> int:
    """Ask for news about everything not yet delivered."""
    done = 0
    waiting = carrier.shipments.exclude(status="delivered").filter(
        Q(tracked_at__lt=timezone.now() - timedelta(hours=2)) | Q(tracked_at=None)
    )
    for shipment in waiting.order_by(F("tracked_at").asc(nulls_first=True)):
        answer = requests.get(f"https://{carrier.code}.example/v1/{shipment.tracking_code}", timeout=30)
        event = answer.json()
        tracked_at: Optional[datetime] = parse_datetime(event["tracked_at"])
        status = event["status"]
        if tracked_at is None or (shipment.tracked_at and tracked_at <= shipment.tracked_at):
            continue
        shipment.tracked_at = tracked_at
        shipment.status = {"DLV": "delivered"}.get(status, "moving")
        shipment.save(update_fields=["tracked_at", "status"])
        shipment.parcels.update(tracked_at=tracked_at)
        done += 1
    log.info("%s: %d shipments with a new tracked_at", carrier, done)
    return done


def lost(days=5):
    limit = timezone.now() - timedelta(days=days)
    return (
        Shipment.objects.filter(tracked_at__lte=limit, order__status="sent")
        .exclude(parcels__tracked_at__gt=limit)
        .values("order__reference", "order__customer__email", "tracked_at")
    )


def lost_report(rows: Iterable[dict] = None) -> str:
    out = []
    for row in rows or lost():
        out.append(f"{row['order__reference']} last seen {row['tracked_at']:%d.%m.}")
        out.append(f"  write to {row['order__customer__email']}")
    return "\n".join(out)


def newest(things):
    """The thing (shipment, parcel, ...) heard of last."""
    return max(things, key=lambda thing: thing.tracked_at, default=None)


def complain(carrier: Carrier, status="lost") -> bool:
    last = carrier.shipments.latest("tracked_at")
    text = "Shipment {s.tracking_code} of order {s.order.reference}, tracked {s.tracked_at}: {status}"
    log.warning(text.format(s=last, status=status))
    return bool(carrier.email)
