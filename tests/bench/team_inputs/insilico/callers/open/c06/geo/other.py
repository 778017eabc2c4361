from typing import NamedTuple


class Point(NamedTuple):
    lat: float
    lon: float


def home() -> Point:
    return Point(48.1, 11.5)


def far() -> "list[Point]":
    return [Point(lat=0, lon=0), home()]
