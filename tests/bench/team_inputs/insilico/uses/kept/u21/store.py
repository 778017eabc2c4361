import csv
import json
import sqlite3
from operator import itemgetter
from pathlib import Path

from common import Quote, Trade

KEYS = ["symbol", "side", "price"]
DDL = "CREATE TABLE IF NOT EXISTS quotes (symbol TEXT, bid REAL, ask REAL)"


def load(path: Path) -> list[Trade]:
    trades: list[Trade] = json.loads(path.read_text())
    trades.sort(key=itemgetter("symbol", "price"))
    return trades


def dump(path: Path, trades: list[Trade]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, KEYS, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(trades)


def insert(con: sqlite3.Connection, trades: list[Trade]) -> None:
    con.executemany("INSERT INTO trades VALUES (:symbol, :side, :price)", trades)


def quotes(con: sqlite3.Connection) -> list[Quote]:
    con.execute(DDL)
    return [Quote(*row) for row in con.execute("SELECT symbol, bid, ask FROM quotes")]


def clean(trade: Trade) -> Trade:
    return {**trade, "symbol": trade["symbol"].strip().upper()}


def without(trade: Trade) -> dict:
    return {k: v for k, v in trade.items() if k != "symbol"}


def rename(trade: Trade, new: str) -> None:
    trade.update(symbol=new)


def parse(line: str) -> Quote:
    symbol, bid, ask = line.split(";")
    return Quote(symbol=symbol, bid=float(bid), ask=float(ask))
