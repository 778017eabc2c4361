from __future__ import annotations

from enum import Enum

import attrs
from attrs import define, field, validators


class Unit(str, Enum):
    CELSIUS = "C"
    PASCAL = "Pa"
    PERCENT = "%"


@define
class Sensor:
    code: str
    unit: Unit = field(converter=Unit)
    offset: float = 0.0

    @unit.validator
    def _known(self, attribute, value):
        if value not in Unit:
            raise ValueError(f"{attribute.name}: {value}")

    def suffix(self) -> str:
        return f" {self.unit.value}"


@define(frozen=True)
class Reading:
    sensor: Sensor
    value: float
    unit: str = field(default="", validator=validators.instance_of(str))

    def text(self) -> str:
        return f"{self.value}{self.unit or self.sensor.unit.value}"

    def foreign(self) -> bool:
        return bool(self.unit)


@define
class Station:
    name: str
    sensors: list[Sensor] = field(factory=list)
    readings: list[Reading] = field(factory=list)

    def by_unit(self) -> dict[Unit, list[Sensor]]:
        found: dict[Unit, list[Sensor]] = {}
        for sensor in self.sensors:
            found.setdefault(sensor.unit, []).append(sensor)
        return found

    def units(self) -> set[str]:
        return {r.unit for r in self.readings} | {s.unit.value for s in self.sensors}

    def find(self, code: str) -> Sensor | None:
        return next((s for s in self.sensors if s.code == code), None)
