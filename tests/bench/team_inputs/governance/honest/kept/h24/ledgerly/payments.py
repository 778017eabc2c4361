"""Payments to payees."""
import logging
from decimal import Decimal
from uuid import UUID

from pydantic import BaseModel

logger = logging.getLogger("ledgerly.payments")


class Payment(BaseModel):
    payee_id: UUID
    amount: Decimal
    currency: str


def pay(conn, payment: Payment) -> None:
    name, iban = conn.execute(
        "SELECT name, iban FROM payee WHERE payee_id = %s", (payment.payee_id,)
    ).fetchone()
    conn.execute(
        "INSERT INTO transfer (to_name, to_iban, amount, currency) VALUES (%s, %s, %s, %s)",
        (name, iban, payment.amount, payment.currency),
    )
    logger.info("paid %s %s to payee %s", payment.amount, payment.currency, payment.payee_id)
