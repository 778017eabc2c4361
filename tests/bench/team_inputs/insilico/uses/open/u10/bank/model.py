from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Protocol, Self

type Money = int
type Predicate[T] = Callable[[T], bool]
type Holding = Account | Depot


class Balanced(Protocol):
    @property
    def balance(self) -> Money: ...


@dataclass
class Account:
    iban: str
    balance: Money = 0
    history: list[Money] = field(default_factory=list)

    def deposit(self, amount: Money) -> Self:
        self.balance += amount
        self.history.append(self.balance)
        return self

    def __str__(self) -> str:
        return f"{self.iban}: {f"{self.balance / 100:.2f}"}"


@dataclass(frozen=True, slots=True)
class Depot:
    number: str
    shares: dict[str, int] = field(default_factory=dict)
    balance: Money = 0

    def bought(self, name: str, price: Money) -> "Depot":
        shares = {**self.shares, name: self.shares.get(name, 0) + 1}
        return replace(self, shares=shares, balance=self.balance - price)


class Scale:
    def balance(self, left: float, right: float) -> bool:
        return abs(left - right) < 1e-6


def only[T](items: Iterable[T], test: Predicate[T]) -> list[T]:
    return [i for i in items if test(i)]


def richest[A: Account](accounts: Iterable[A]) -> A:
    return max(accounts, key=lambda a: a.balance)


def fullest[B: Balanced](things: Iterable[B]) -> B:
    return max(things, key=lambda b: b.balance)
