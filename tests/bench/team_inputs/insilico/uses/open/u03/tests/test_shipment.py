import pytest

from freight import Parcel, Shipment


@pytest.fixture
def shipment() -> Shipment:
    return Shipment(number="T1", weight=3)


def test_plus(shipment):
    assert shipment.plus(Parcel(2)).weight == 5


def test_sum():
    made = Shipment("T2", parcels=[Parcel(1), Parcel(weight=2)])
    assert made.weight == 3
    assert made.parcels[1].weight == 2
