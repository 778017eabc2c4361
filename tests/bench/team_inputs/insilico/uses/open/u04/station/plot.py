from collections.abc import Iterable

from .model import Sensor, Station


class Axis:
    def __init__(self, title: str, unit: str = "") -> None:
        self.title = title
        self.unit = unit

    def label(self) -> str:
        return f"{self.title} [{self.unit}]"


def axis_for(sensor: Sensor) -> Axis:
    return Axis(sensor.code, unit=sensor.unit.value)


def axes(station: Station) -> Iterable[Axis]:
    for sensor in station.sensors:
        axis = axis_for(sensor)
        if axis.unit == "%":
            axis.title = "share"
        yield axis
