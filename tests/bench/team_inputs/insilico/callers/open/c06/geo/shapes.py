from __future__ import annotations


class Shape:
    def __init__(self, name: str) -> None:
        self.name = name


class Point(Shape):
    def __init__(self, x: float, y: float) -> None:
        super().__init__("point")
        self.x, self.y = x, y

    @classmethod
    def origin(cls) -> Point:
        return cls(0, 0)

    @staticmethod
    def unit() -> Point:
        return Point(1, 1)

    def moved(self, dx: float) -> Point:
        return type(self)(self.x + dx, self.y)

    def copy(self) -> Point:
        return self.__class__(self.x, self.y)


class Pixel(Point):
    def __init__(self, x: int, y: int, colour: str = "") -> None:
        super().__init__(x, y)
        self.colour = colour


class Mark(Point):
    pass


class Circle(Shape):
    def __init__(self, centre: Point, r: float) -> None:
        Shape.__init__(self, "circle")
        self.centre = centre
        self.r = r

    def top(self) -> Point:
        return Point(self.centre.x, self.centre.y + self.r)
