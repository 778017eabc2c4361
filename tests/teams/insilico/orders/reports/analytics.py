"""Monthly figures with pandas, plus the export for the bookkeeper."""
import csv
import io
from dataclasses import asdict, dataclass
from decimal import Decimal

import pandas as pd
from django.forms.models import model_to_dict

from logistics.models import Parcel, Shipment
from shop.models import Order, OrderLine, Payment, Product, StockMovement

HEADERS = ["reference", "status", "email", "total"]


@dataclass
class OrderRow:
    reference: str
    status: str
    email: str
    total: Decimal

    @classmethod
    def of(cls, order: Order):
        return cls(
            reference=order.reference,
            status=order.status,
            email=order.customer.email,
            total=order.total,
        )

    @property
    def finished(self):
        return self.status in {"sent", "cancelled"}


def export(orders) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, fieldnames=HEADERS)
    writer.writeheader()
    for row in map(OrderRow.of, orders):
        if row.status != "cancelled":
            writer.writerow(asdict(row))
    return stream.getvalue()


def order_frame(year):
    """Frame with the columns reference, status and placed_at."""
    rows = Order.objects.filter(placed_at__year=year).values("reference", "status", "placed_at")
    df = pd.DataFrame(list(rows))
    df["month"] = df["placed_at"].dt.month
    df = df[df["status"] != "cancelled"]
    return df.drop_duplicates(subset="reference")


def turnover(year):
    lines = OrderLine.objects.filter(order__placed_at__year=year).exclude(order__status="cancelled")
    df = pd.DataFrame.from_records(
        lines.values("product__sku", "product__price", "quantity", "price")
    )
    df["amount"] = df["quantity"] * df["price"]
    df["discount"] = (df["product__price"] - df["price"]) * df["quantity"]
    df = df.rename(columns={"quantity": "pieces"})
    return df.groupby("product__sku")[["amount", "discount", "pieces"]].sum()


def payment_frame():
    df = pd.DataFrame(list(Payment.objects.values("reference", "status", "order__reference")))
    open_ones = df[df["status"] == "pending"]
    return open_ones.set_index("reference")["order__reference"]


def competitor_prices(path):
    """CSV from the market watch: sku, price, stock."""
    theirs = pd.read_csv(path)
    theirs["price"] = theirs["price"].str.replace(",", ".").astype(float)
    theirs = theirs[theirs["stock"] > 0]
    ours = pd.DataFrame(list(Product.objects.values("sku", "price", "stock")))
    ours = ours[ours["stock"] > 0]
    ours["price"] = ours["price"].astype(float)
    return ours.merge(theirs, on="sku", suffixes=("", "_theirs"))


def weights():
    parcels = pd.DataFrame(list(Parcel.objects.values("weight", "shipment__tracked_at")))
    parcels["day"] = parcels["shipment__tracked_at"].dt.date
    products = pd.DataFrame(list(Product.objects.values("sku", "weight")))
    return parcels.groupby("day").weight.sum(), products.weight.mean()


def movement_sum():
    df = pd.DataFrame(list(StockMovement.objects.values("product__sku", "quantity")))
    return df.groupby("product__sku")["quantity"].sum()


def delays():
    seen = Shipment.objects.values_list("tracked_at", "order__placed_at", named=True)
    gaps = [row.tracked_at - row.order__placed_at for row in seen if row.tracked_at]
    return sum(gap.days for gap in gaps) / max(len(gaps), 1)


def diff(old: Order, new: Order):
    """Names of changed columns, without the status."""
    before, after = model_to_dict(old), model_to_dict(new)
    before.pop("status"), after.pop("status")
    return [name for name in before if before[name] != after[name]]


def worst(items, limit=3):
    """Items may be products or order lines."""
    return sorted(items, key=lambda item: item.price)[:limit]


SAMPLE = {"status": "open", "quantity": 3, "price": "9.90", "weight": 120}


def sample_total():
    return SAMPLE["quantity"] * Decimal(SAMPLE["price"])
