"""Checkout of the web shop."""
import logging

log = logging.getLogger("fernhill.checkout")


def total(lines):
    return sum(line["qty"] * line["price"] for line in lines)


def place_order(db, customer, lines):
    amount = total(lines)
    order_id = db.insert(
        "INSERT INTO orders (customer_id, sku, qty, total_pence, ordered_at) VALUES (%s, %s, %s, %s, NOW())",
        (customer["customer_id"], lines[0]["sku"], lines[0]["qty"], amount),
    )
    log.info("order %s placed, %d lines", order_id, len(lines))
    return order_id


def refund(db, order_id):
    changed = db.execute("UPDATE orders SET total_pence = 0 WHERE order_id = %s", (order_id,))
    if not changed:
        log.warning("refund of unknown order %s", order_id)
    return bool(changed)
