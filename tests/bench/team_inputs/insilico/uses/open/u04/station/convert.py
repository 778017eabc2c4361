from attrs import asdict, evolve

from .model import Reading, Sensor, Station, Unit


def to_kelvin(reading: Reading) -> Reading:
    match reading.sensor:
        case Sensor(unit=Unit.CELSIUS):
            return evolve(reading, value=reading.value + 273.15, unit="K")
        case Sensor(unit=unit):
            raise ValueError(f"no temperature: {unit}")


def relabel(sensor: Sensor, unit: Unit) -> Sensor:
    return evolve(sensor, unit=unit)


def dump(station: Station) -> dict:
    data = asdict(station)
    for sensor in data["sensors"]:
        sensor["unit"] = sensor["unit"].value
    for reading in data["readings"]:
        reading.pop("unit")
    return data


def load(data: dict) -> Station:
    sensors = {d["code"]: Sensor(**d) for d in data["sensors"]}
    readings = [
        Reading(sensors[d["code"]], d["value"], unit=d.get("unit", ""))
        for d in data["readings"]
    ]
    return Station(data["name"], list(sensors.values()), readings)


def check(station: Station, code: str) -> str:
    sensor = station.find(code)
    if sensor is None:
        return "?"
    return sensor.unit.name
