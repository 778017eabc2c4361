"""Stock counting for the pharmacy shelf."""
from dataclasses import dataclass


@dataclass
class StockItem:
    code: str
    name: str
    count: int = 0
    expires_on: str = ""


def load_items(rows):
    return [StockItem(*r) for r in rows]


def low_stock(items, limit=5):
    """Items whose count is at or below the limit."""
    return [i for i in items if i.count <= limit]


def restock(items, code, amount):
    for item in items:
        if item.code == code:
            item.count += amount
            return item
    raise KeyError(code)


def weekly_report(rows):
    items = load_items(rows)
    for item in low_stock(items):
        print(item.code, item.name, item.count)
