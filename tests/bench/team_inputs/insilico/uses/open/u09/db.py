import sqlite3
from dataclasses import dataclass

from ledger import Payment


@dataclass
class Tax:
    rate: float
    amount: float = 0.0


def connect(path=":memory:"):
    con = sqlite3.connect(path)
    con.execute("CREATE TABLE IF NOT EXISTS payment (day TEXT, payee TEXT, amount REAL)")
    con.execute("CREATE TABLE IF NOT EXISTS tax (rate REAL, amount REAL)")
    return con


def insert(con, payments: "list[Payment]"):
    con.executemany(
        "INSERT INTO payment (day, payee, amount) VALUES (:day, :payee, :amount)",
        [p._asdict() for p in payments],
    )


def tax_of(payment: Payment, rate: float = 0.19) -> Tax:
    return Tax(rate, amount=payment.amount * rate)


def save_tax(con, tax: Tax):
    con.execute("INSERT INTO tax VALUES (?, ?)", (tax.rate, tax.amount))


def largest(con) -> Payment:
    row = con.execute("SELECT day, payee, amount FROM payment ORDER BY amount DESC").fetchone()
    return Payment._make(row)
