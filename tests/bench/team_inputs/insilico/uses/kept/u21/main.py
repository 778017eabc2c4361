import sys
from pathlib import Path

import store
from book import Book, show
from common import Quote, sell, trade


def main() -> None:
    book = Book()
    book.trades = [store.clean(t) for t in store.load(Path(sys.argv[1]))]
    book.trades.append(trade("ABC", "buy", 3.0))
    book.trades.append(sell(symbol="XYZ", price=1.0))
    for t in book.trades:
        print("%(side)s %(symbol)s at %(price).2f" % t)
        print("{symbol}: {price}".format(**t))
    for line in sys.stdin:
        quote = store.parse(line)
        book.quote(quote)
        print("quote for", quote.symbol)
    match book.trades[0]:
        case {"symbol": str(symbol), "side": "buy"}:
            print("bought", symbol)
    print(show(book.value()))


if __name__ == "__main__":
    main()
