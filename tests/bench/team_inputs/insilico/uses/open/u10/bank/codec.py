import json
from typing import Any

from .model import Account, Depot

type Row = dict[str, Any]


def account(row: Row) -> Account:
    return Account(**{"balance": 0, **row})


def encode(item: Account | Depot) -> str:
    if isinstance(item, Depot):
        return json.dumps({"number": item.number, "balance": item.balance})
    return json.dumps({"iban": item.iban, "balance": item.balance})


def line(a: Account) -> str:
    return f'{a.iban} {'+' if a.balance >= 0 else '-'}'


def insert(a: Account) -> str:
    return f"INSERT INTO account (iban, balance) VALUES ('{a.iban}', {a.balance})"
