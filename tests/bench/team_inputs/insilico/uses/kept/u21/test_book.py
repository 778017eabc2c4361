from book import Book
from common import Quote, Trade, trade
from store import clean, parse, without


def test_positions():
    book = Book()
    book.trades = [trade("A", "buy", 1), {"symbol": "A", "side": "sell", "price": 2}]
    assert book.positions() == {"A": 0}
    assert book.trades[1]["symbol"] == "A"


def test_clean():
    made: Trade = dict(symbol=" a", side="buy", price=1)
    assert clean(made)["symbol"] == "A"
    assert "symbol" not in without(made)


def test_parse():
    assert parse("B;1;2") == Quote("B", 1, 2)
    assert parse("B;1;2").symbol == "B"
    assert parse("B;1;2")._asdict()["symbol"] == "B"
