from __future__ import annotations

import calc.ops


class Money:
    def __init__(self, cents: int) -> None:
        self.cents = cents

    def add(self, other: Money) -> Money:
        return Money(calc.ops.add(self.cents, other.cents))

    def __add__(self, other: Money) -> Money:
        return self.add(other)

    __radd__ = add


class Wallet(list):
    def put(self, money: Money) -> Money:
        return money.add(Money(1))


def add_vat(money: Money) -> Money:
    vat = Money(money.cents // 5)
    return money.add(vat)


default = [calc.ops.add(i, 1) for i in range(3)]
