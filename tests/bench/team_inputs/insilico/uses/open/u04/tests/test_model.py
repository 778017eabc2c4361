from station.model import Reading, Sensor, Station, Unit


def make(code="t", unit="C", **kw):
    return Sensor(code, unit, **kw)


def test_converter():
    assert make().unit is Unit.CELSIUS


def test_reading():
    sensor = Sensor("p", "Pa")
    reading = Reading(sensor, 3.0, "hPa")
    assert reading.unit == "hPa"
    assert reading.sensor.unit == "Pa"
    assert Station("s", [sensor]).sensors[0].unit == Unit.PASCAL
