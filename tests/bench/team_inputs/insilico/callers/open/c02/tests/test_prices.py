from unittest import mock

from shop.prices import gross, total


def test_gross():
    assert gross(100) == 120
    gross.cache_clear()


@mock.patch("shop.prices.gross", return_value=1)
def test_total(fake):
    assert total([1, 2]) == 2
    assert list(map(gross, [1])) == [1.2]
