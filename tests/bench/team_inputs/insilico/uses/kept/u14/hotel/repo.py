from collections.abc import Sequence
from typing import Generic, TypeVar

from sqlalchemy import case, func, select, text, update
from sqlalchemy.orm import Session, aliased, load_only

from .orm import Base, Booking, Extra, Room

M = TypeVar("M", bound=Base)
ORDER = {"price": Booking.price, "guest": Booking.guest}
ROOM_ORDER = {"price": Room.price}


class Repo(Generic[M]):
    model: type[M]

    def __init__(self, db: Session) -> None:
        self.db = db

    def get(self, pk) -> M | None:
        return self.db.get(self.model, pk)

    def add(self, **data) -> M:
        row = self.model(**data)
        self.db.add(row)
        return row


class BookingRepo(Repo[Booking]):
    model = Booking

    def above(self, price) -> Sequence[Booking]:
        b = aliased(Booking)
        return self.db.scalars(select(b).where(b.price > price)).all()

    def raise_all(self, factor) -> None:
        self.db.execute(update(Booking).values(price=Booking.price * factor))

    def slim(self):
        return self.db.scalars(select(Booking).options(load_only(Booking.price))).all()

    def income(self):
        stmt = select(func.sum(Booking.price + func.coalesce(Extra.price, 0)))
        return self.db.scalar(stmt.outerjoin(Extra))

    def raw(self):
        stmt = text(
            "SELECT b.guest, b.price, r.price AS list_price FROM booking b"
            " JOIN room r ON r.number = b.room_number ORDER BY b.price"
        )
        return [(row.guest, row.price, row.list_price) for row in self.db.execute(stmt)]

    def price_of(self, pk: int):
        booking = self.get(pk)
        return booking.price if booking else None


class RoomRepo(Repo[Room]):
    model = Room

    def cheapest(self):
        return self.db.scalars(select(Room).order_by(Room.price).limit(1)).one()

    def price_of(self, number: str):
        return self.get(number).price
