"""Reads payments of a bank and books them."""
import csv
import sqlite3
import sys
from collections import namedtuple
from typing import NamedTuple, TypedDict


class Payment(NamedTuple):
    day: str
    payee: str
    amount: float

    @property
    def is_income(self) -> bool:
        return self.amount > 0


class BookingDict(TypedDict, total=False):
    account: str
    amount: float
    note: str


Budget = namedtuple("Budget", "name amount")


def read(path: str) -> list[Payment]:
    with open(path, newline="") as file:
        return [
            Payment(r["day"], r["payee"], amount=float(r["amount"].replace(",", ".")))
            for r in csv.DictReader(file)
        ]


def book(payment: Payment) -> BookingDict:
    return {"account": "4400", "amount": abs(payment.amount), "note": payment.payee}


def reverse(booking: BookingDict) -> BookingDict:
    return {**booking, "amount": -booking["amount"]}


def correct(payment: Payment, amount: float) -> Payment:
    return payment._replace(amount=amount)


def total(payments: list[Payment]) -> float:
    return sum(p.amount for p in payments)


def within(budget: Budget, payments: list[Payment]) -> bool:
    return total(payments) <= budget.amount


def main() -> int:
    payments = read(sys.argv[1])
    for day, payee, amount in payments:
        print(day, payee, amount)
    print(total(payments), Payment._fields.index("amount"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
