from .repo import BookingRepo, RoomRepo
from .session import Local


def bookings():
    with Local() as db:
        yield BookingRepo(db)


def rooms():
    with Local() as db:
        yield RoomRepo(db)
