import pytest

from bank.codec import account, encode
from bank.model import Account, Depot, richest
from bank.service import Overdrawn, move, worth


def test_move():
    a, b = Account("A", 5), Account("B", balance=1)
    move(a, b, 5)
    assert (a.balance, b.balance) == (0, 6)
    with pytest.raises(Overdrawn) as caught:
        move(a, b, 1)
    assert caught.value.balance == 0


def test_worth():
    assert worth(Depot("D").bought("x", 3)) == -3
    assert Depot("D", balance=4).balance == 4
    assert account({"iban": "A", "balance": 3}).balance == 3
    assert '"balance": 0' in encode(Account("A"))


def test_richest():
    assert richest([Account("A"), Account("B", 9)]).balance == 9
