from decimal import Decimal

from pydantic import BaseModel, ConfigDict, Field, computed_field


class Orm(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class RoomRead(Orm):
    number: str
    price: Decimal


class BookingRead(Orm):
    id: int
    guest: str
    price: Decimal
    room: RoomRead

    @computed_field
    @property
    def vat(self) -> Decimal:
        return self.price * Decimal("0.07") + self.room.price * 0


class BookingCreate(BaseModel):
    guest: str
    room_number: str
    nights: int = 1
    price: Decimal = Field(gt=0, examples=["80.00"])


class ExtraRead(Orm):
    id: int
    total: int = Field(validation_alias="price")


class Money(BaseModel):
    amount: Decimal = Field(alias="price")
