"""Reports written in SQL because the ORM would be too slow."""
import logging

from django.db import connection

from logistics.models import Shipment
from shop.models import Customer, Order, Product

log = logging.getLogger("reports")

# Columns by which the report may be sorted: key from the URL -> SQL.
SORTABLE = {
    "status": "o.status",
    "customer": "c.email",
    "price": "l.price",
    "tracked_at": "s.tracked_at",
}

OPEN_ORDERS = """
    SELECT o.id, o.reference, o.placed_at, c.email
      FROM shop_order o
      JOIN shop_customer c ON c.id = o.customer_id
     WHERE o.status IN ('open', 'paid')
     ORDER BY o.placed_at
"""

STOCK_VALUE = (
    "SELECT sku, stock, price * stock AS value "
    "FROM shop_product "
    "WHERE stock > %s "
    "ORDER BY value DESC"
)

LATE = """
    -- shipments without news; status here is that of the shipment
    WITH silent AS (
        SELECT s.order_id, s.tracked_at, s.status
          FROM logistics_shipment s
         WHERE s.tracked_at < now() - interval '5 days'
    ), heavy AS (
        SELECT l.order_id,
               SUM(l.quantity * p.weight) AS weight,
               SUM(l.quantity * l.price) AS price
          FROM shop_orderline l
          JOIN shop_product p ON p.id = l.product_id
         GROUP BY l.order_id
    )
    SELECT o.reference,
           o.status AS order_status,
           silent.status,
           silent.tracked_at,
           heavy.weight,
           heavy.price
      FROM shop_order o
      JOIN silent ON silent.order_id = o.id
      LEFT JOIN heavy ON heavy.order_id = o.id
     WHERE heavy.weight > %(grams)s
     ORDER BY order_status, silent.tracked_at
"""


def fetch(sql, params=()):
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        columns = [column[0] for column in cursor.description]
        return [dict(zip(columns, row)) for row in cursor.fetchall()]


def open_orders():
    result = []
    for row in fetch(OPEN_ORDERS):
        result.append((row["reference"], row["email"], row["placed_at"]))
    return result


def stock_value(minimum=0):
    total = 0
    for row in fetch(STOCK_VALUE, [minimum]):
        log.debug("%s has stock %s", row["sku"], row["stock"])
        total += row["value"]
    return total


def late(grams=0):
    rows = fetch(LATE, {"grams": grams})
    return [
        {
            "order": row["reference"],
            "order_status": row["order_status"],
            "status": row["status"],
            "tracked_at": row["tracked_at"],
            "weight": row["weight"],
        }
        for row in rows
    ]


def sorted_orders(sort="status", descending=False):
    column = SORTABLE.get(sort, "o.reference")
    direction = "DESC" if descending else "ASC"
    sql = (
        "SELECT o.*, MAX(s.tracked_at) AS seen FROM shop_order o "
        + "JOIN shop_customer c ON c.id = o.customer_id "
        + "LEFT JOIN shop_orderline l ON l.order_id = o.id "
        + "LEFT JOIN logistics_shipment s ON s.order_id = o.id "
        + "GROUP BY o.id, o.status, c.email, l.price, s.tracked_at "
        + f"ORDER BY {column} {direction}"
    )
    return [(order.reference, order.status, order.seen) for order in Order.objects.raw(sql)]


def customers_without_mail():
    return Customer.objects.raw("SELECT id, name FROM shop_customer WHERE email = '' ORDER BY name")


def cheaper_than(price):
    """Products below the price, with the supplier's email."""
    sql = f"""
        SELECT p.id, p.sku, p.price, sup.email AS supplier_email
          FROM {Product._meta.db_table} p
          LEFT JOIN shop_supplier sup ON sup.id = p.supplier_id
         WHERE p.price < %s
           AND sup.email <> ''
    """
    return [(p.sku, p.price, p.supplier_email) for p in Product.objects.raw(sql, [price])]


def count_by_status(table, status):
    """Table is shop_order, shop_payment or logistics_shipment."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM {table} WHERE status = %s", [status])
        return cursor.fetchone()[0]


def refused_payments():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pay.reference, o.reference, pay.status "
            "FROM shop_payment pay JOIN shop_order o ON o.id = pay.order_id "
            "WHERE pay.status = %s AND o.status <> %s",
            ["refused", Order.Status.CANCELLED],
        )
        for reference, order_reference, status in cursor.fetchall():
            yield f"{reference} ({order_reference}): {status}"


def set_weight(sku, weight):
    column = Product._meta.get_field("weight").column
    with connection.cursor() as cursor:
        cursor.execute("UPDATE shop_product SET " + column + " = %s WHERE sku = %s", [weight, sku])
        cursor.execute("UPDATE logistics_parcel SET weight = 0 WHERE weight IS NULL")


def pieces_per_customer(limit=10):
    sql = "SELECT c.email, SUM(quantity) AS quantity FROM shop_customer c"
    sql += " JOIN shop_order o ON o.customer_id = c.id"
    sql += " JOIN shop_orderline ol ON ol.order_id = o.id"
    sql += " WHERE UPPER(o.STATUS) <> 'CANCELLED'"
    sql += " GROUP BY c.email ORDER BY 2 DESC LIMIT %s"
    return [(row["email"], row["quantity"]) for row in fetch(sql, [limit])]


def moved(product_id):
    return fetch("SELECT quantity, reason FROM shop_stockmovement WHERE product_id = %s", [product_id])


def extra_shipments():
    return Shipment.objects.extra(
        select={"age": "now() - logistics_shipment.tracked_at"},
        where=["logistics_shipment.status <> 'delivered'"],
        order_by=["-tracked_at"],
    )
