import pytest

from bus.blog import Blog, Post
from bus.events import Bus


@pytest.fixture
def bus() -> Bus:
    return Bus()


def test_publish(bus):
    got = []
    bus.on("a")(lambda: got.append(1))
    bus.publish("a")
    assert got == [1]


def test_blog(bus: Bus):
    Blog(bus).add(Post("t"))
    Blog(bus).publish()
    bus.publish("b")
