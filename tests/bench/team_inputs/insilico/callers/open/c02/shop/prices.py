from functools import lru_cache, reduce


@lru_cache(maxsize=None)
def gross(amount: int, rate: float = 0.2) -> float:
    return amount * (1 + rate)


def net(amount: float, rate: float = 0.2) -> float:
    return amount / (1 + rate)


def total(amounts: list[int]) -> float:
    return sum(gross(a) for a in amounts)


def doubled(amount: int) -> float:
    return 2 * gross(amount, rate=0.1)


TABLE = {n: gross(n) for n in range(10)}
CONVERT = {"gross": gross, "net": net}
