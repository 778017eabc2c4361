from pkg import boxes
from pkg.boxes import Box as B


def test_full():
    assert B.full().items == ["a", "b"]


def test_fill():
    box = B()
    box.fill("t")
    assert boxes.Box(1).fill().items == ["x"]
