from typing import Literal, NamedTuple, NotRequired, Required, TypedDict


class Trade(TypedDict):
    symbol: Required[str]
    side: Literal["buy", "sell"]
    price: float
    count: NotRequired[int]


class Quote(NamedTuple):
    symbol: str
    bid: float
    ask: float

    def spread(self) -> float:
        return self.ask - self.bid

    def __str__(self) -> str:
        return f"{self.symbol} {self.bid}/{self.ask}"


Money = TypedDict("Money", {"amount": float, "symbol": str})


def trade(symbol: str, side, price: float) -> Trade:
    return {"symbol": symbol, "side": side, "price": price}


def sell(symbol: str, price: float) -> Trade:
    return Trade(symbol=symbol, side="sell", price=price)
