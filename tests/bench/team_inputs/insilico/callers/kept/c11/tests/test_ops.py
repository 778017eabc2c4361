from calc import cli, ops
from calc.money import Money


def test_add():
    assert ops.add(1, 2) == 3
    assert cli.OPS["+"](1, 2) == 3
    assert cli.add(1, 1) == 2
    assert Money(1).add(Money(2)).cents == 3
    check = ops.add
    assert check("a", "b") == "ab"
