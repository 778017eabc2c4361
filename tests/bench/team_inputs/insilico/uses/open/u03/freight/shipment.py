from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar


class HasWeight(Protocol):
    weight: float


W = TypeVar("W", bound=HasWeight)


@dataclass(order=True)
class Parcel:
    weight: float
    code: str = ""


@dataclass
class Shipment:
    number: str
    weight: float = 0.0
    parcels: list[Parcel] = field(default_factory=list)
    limit: ClassVar[float] = 1000.0

    def __post_init__(self) -> None:
        if not self.weight:
            self.weight = sum(p.weight for p in self.parcels)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Shipment:
        parcels = [Parcel(**p) for p in data.pop("parcels", [])]
        data.setdefault("weight", 0.0)
        return cls(parcels=parcels, **data)

    @classmethod
    def empty(cls, number: str) -> Shipment:
        return cls(number, weight=0.0)

    def heavier(self, other: Shipment) -> bool:
        return self.weight > other.weight

    def too_heavy(self) -> bool:
        return self.weight > self.limit

    def plus(self, parcel: Parcel) -> Shipment:
        return dataclasses.replace(
            self,
            weight=self.weight + parcel.weight,
            parcels=[*self.parcels, parcel],
        )


def heaviest(things: list[W]) -> W:
    return max(things, key=lambda t: t.weight)
