import pytest

from campus.models import Building, Exam, Room, Shuttle


@pytest.fixture
def room(db):
    return Room.objects.create(building=Building.objects.create(name="M"), number="1", capacity=20)


def test_free(room):
    exam = Exam(room=room, seats=5, shuttle=Shuttle(plate="x", capacity=3))
    assert exam.free() == 12
    assert room.building.seats == room.capacity
    assert Room._meta.get_field("capacity").verbose_name == "capacity"


def test_form(client):
    answer = client.post("/rooms/add/", {"building": 1, "number": "2", "capacity": 3})
    assert "capacity" in answer.context["form"].errors
