from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Optional

from sqlalchemy import CheckConstraint, ForeignKey, Index, Numeric
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass, mapped_column, relationship, validates


class Base(DeclarativeBase):
    pass


class Room(Base):
    __tablename__ = "room"

    number: Mapped[str] = mapped_column(primary_key=True)
    price: Mapped[Decimal] = mapped_column(Numeric(8, 2))
    bookings: Mapped[list[Booking]] = relationship(
        back_populates="room",
        order_by=lambda: Booking.price.desc(),
    )
    cheap: Mapped[list[Booking]] = relationship(
        primaryjoin="and_(Room.number == Booking.room_number, Booking.price < Room.price)",
        viewonly=True,
    )


class Booking(Base):
    __tablename__ = "booking"
    __table_args__ = (
        CheckConstraint("price >= 0", name="ck_price"),
        Index("ix_booking_room_price", "room_number", "price"),
        {"sqlite_autoincrement": True},
    )
    __mapper_args__ = {"eager_defaults": True}

    id: Mapped[int] = mapped_column(primary_key=True)
    guest: Mapped[str]
    nights: Mapped[int] = mapped_column(default=1)
    price: Mapped[Decimal] = mapped_column(Numeric(8, 2))
    room_number: Mapped[str] = mapped_column(ForeignKey("room.number"))
    room: Mapped[Room] = relationship(back_populates="bookings")

    @validates("price")
    def _positive(self, key, value):
        if value < 0:
            raise ValueError(key)
        return value

    @hybrid_property
    def discount(self) -> Decimal:
        return self.room.price * self.nights - self.price

    @hybrid_property
    def per_night(self):
        return self.price / self.nights

    @per_night.inplace.expression
    @classmethod
    def _per_night(cls):
        return cls.price / cls.nights


class Extra(Base):
    __tablename__ = "extra"

    id: Mapped[int] = mapped_column(primary_key=True)
    booking_id: Mapped[int] = mapped_column(ForeignKey("booking.id"))
    price: Mapped[int]
    booking: Mapped[Booking] = relationship()
