import csv
import json
from dataclasses import asdict, fields

from .shipment import Shipment

HEADER = ["number", "weight"]


def read(path) -> list[Shipment]:
    with open(path, encoding="utf-8") as file:
        return [Shipment.from_dict(d) for d in json.load(file)]


def write(path, shipments: list[Shipment]) -> None:
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, fieldnames=HEADER, extrasaction="ignore")
        out.writeheader()
        for shipment in shipments:
            row = asdict(shipment)
            row["weight"] = round(row["weight"], 1)
            out.writerow(row)


def row_of(shipment: Shipment) -> dict:
    return dict(number=shipment.number, weight=shipment.weight)


def from_row(row: dict) -> Shipment:
    kwargs = dict(number=row["number"], weight=float(row["weight"]))
    return Shipment(**kwargs)


def names() -> list[str]:
    return [f.name for f in fields(Shipment) if f.name != "weight"]


def font(css: dict) -> str:
    return css.get("weight", "normal")
