from typing import overload


@overload
def add(a: int, b: int) -> int: ...
@overload
def add(a: str, b: str) -> str: ...
def add(a, b):
    return a + b


def sum_all(*values: int) -> int:
    total = 0
    for value in values:
        total = add(total, value)
    return total


def add_one(n: int, op=add) -> int:
    return op(n, 1)


def recursive(n: int) -> int:
    return n if n < 1 else add(n, recursive(n - 1))
