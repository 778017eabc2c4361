from decimal import Decimal

from hotel.orm import Booking, Extra, Room
from hotel.schemas import BookingRead


def test_discount():
    room = Room(number="1", price=Decimal(80))
    booking = Booking(guest="Kim", nights=2, price=Decimal(150), room=room)
    assert booking.discount == 10
    read = BookingRead.model_validate(booking)
    assert read.room.price == 80
    assert Extra(price=3, booking=booking).booking.price == 150
