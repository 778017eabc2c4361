from __future__ import annotations

import shop.prices
import shop.prices as p
from shop import gross_price
from shop.prices import CONVERT


class Salary:
    def __init__(self, gross: float) -> None:
        self.gross = gross

    def net(self) -> float:
        return self.gross * 0.6


def pay(amount: int) -> float:
    return shop.prices.gross(amount) + p.gross(1)


def pay_alias(amount: int) -> float:
    return gross_price(amount)


def pay_by_name(kind: str, amount: int) -> float:
    return CONVERT[kind](amount)


def weight(scale) -> float:
    return scale.gross()
