from functools import partial
from itertools import starmap

import geo
from geo import shapes
from geo.shapes import Circle, Mark, Pixel
from geo.shapes import Point as P

down = partial(P, 0)
KINDS = {"point": shapes.Point, "pixel": Pixel}


def grid(n: int) -> list[P]:
    return [P(i, j) for i in range(n) for j in range(n)]


def circle() -> Circle:
    return Circle(geo.Point(0, 0), r=1)


def pixel() -> Pixel:
    return Pixel(1, 2)


def marks() -> list[Mark]:
    return [Mark(1, 2), Mark(3, 4)]


def every(pairs):
    return list(starmap(shapes.Point, pairs))


def kind(name: str, *args):
    return KINDS[name](*args)


def is_point(thing) -> bool:
    return isinstance(thing, shapes.Point)
