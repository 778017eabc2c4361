from __future__ import annotations

from dataclasses import dataclass, field
from operator import attrgetter
from typing import Union

from .shipment import Parcel, Shipment, heaviest

Load = Union[Shipment, "Container"]


@dataclass
class Container:
    label: str
    weight: float = 2200.0


@dataclass
class Truck:
    plate: str
    shipments: list[Shipment] = field(default_factory=list)
    containers: dict[str, Container] = field(default_factory=dict)

    def load(self) -> float:
        goods = sum(s.weight for s in self.shipments)
        boxes = sum(c.weight for c in self.containers.values())
        return goods + boxes

    def sorted(self) -> list[Shipment]:
        return sorted(self.shipments, key=attrgetter("weight"))

    def first(self) -> float:
        return self.shipments[0].weight if self.shipments else 0.0

    def top(self) -> Shipment:
        return heaviest(self.shipments)


def describe(load: Load) -> str:
    if isinstance(load, Shipment):
        return f"shipment {load.number}: {load.weight} kg"
    return f"container {load.label}: {load.weight} kg"


def any_weight(load: Load) -> float:
    return load.weight


def split(parcel: Parcel, parts: int) -> list[Parcel]:
    weight = parcel.weight / parts
    return [Parcel(weight=weight) for _ in range(parts)]
