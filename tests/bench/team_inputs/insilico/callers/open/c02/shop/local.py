def gross(n: int) -> int:
    return n * 144


def dozens(n: int) -> int:
    return gross(n) // 12


def lazy(n: int) -> float:
    from .prices import gross as g

    return g(n)


def shadow(gross):
    return gross(3)
