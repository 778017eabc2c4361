import pytest

from geo import Point


@pytest.mark.parametrize("point", [Point(1, 2), Point.origin()])
def test_moved(point: Point):
    assert point.moved(1).x == point.x + 1
    with pytest.raises(TypeError):
        Point()
