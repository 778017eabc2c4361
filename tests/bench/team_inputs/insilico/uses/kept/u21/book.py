from collections import defaultdict

from common import Money, Quote, Trade


class Book:
    def __init__(self) -> None:
        self.trades: list[Trade] = []
        self.quotes: dict[str, Quote] = {}

    def quote(self, quote: Quote) -> None:
        self.quotes[quote.symbol] = quote

    def positions(self) -> dict[str, int]:
        found: dict[str, int] = defaultdict(int)
        for trade in self.trades:
            sign = 1 if trade["side"] == "buy" else -1
            found[trade["symbol"]] += sign * trade.get("count", 1)
        return found

    def value(self) -> Money:
        amount = 0.0
        for trade in self.trades:
            quote = self.quotes.get(trade["symbol"])
            if quote is None:
                raise KeyError(trade["symbol"])
            amount += quote.bid
        return {"amount": amount, "symbol": "€"}

    def symbols(self) -> set[str]:
        return {t["symbol"] for t in self.trades} | {q.symbol for q in self.quotes.values()}

    def of(self, symbol: str) -> list[Trade]:
        return [t for t in self.trades if t.get("symbol") == symbol]


def show(money: Money) -> str:
    return f"{money['symbol']}{money['amount']:.2f}"


def mid(quotes: list[Quote]) -> dict[str, float]:
    return {q.symbol: (q.bid + q.ask) / 2 for q in quotes}
