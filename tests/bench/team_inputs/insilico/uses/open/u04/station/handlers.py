from .model import Sensor, Unit


def event(payload):
    match payload:
        case {"kind": "sensor", "code": code, "unit": unit}:
            return Sensor(code=code, unit=unit)
        case {"kind": "axis"}:
            return None


def is_pressure(thing) -> bool:
    return isinstance(thing, Sensor) and thing.unit is Unit.PASCAL


def pairs(left: Sensor, right: "Sensor"):
    return left.unit == right.unit
