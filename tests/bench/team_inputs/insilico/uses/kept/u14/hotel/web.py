from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI

from .deps import bookings, rooms
from .repo import BookingRepo, RoomRepo
from .schemas import BookingCreate, BookingRead, Money, RoomRead

app = FastAPI()
Bookings = Annotated[BookingRepo, Depends(bookings)]


@app.post("/bookings", response_model=BookingRead)
def book(body: BookingCreate, repo: Bookings, room_repo: Annotated[RoomRepo, Depends(rooms)]):
    room = room_repo.get(body.room_number)
    data = body.model_dump()
    data["price"] = min(data["price"], room.price * body.nights)
    return repo.add(**data)


@app.get("/bookings/above/{price}", response_model=list[BookingRead])
def above(price: int, repo: Bookings):
    return repo.above(price)


@app.get("/money/{pk}")
def money(pk: int, repo: Bookings):
    return Money(price=repo.get(pk).price)


@app.get("/rooms/cheapest", response_model=RoomRead)
def cheapest(repo: Annotated[RoomRepo, Depends(rooms)]):
    room = repo.cheapest()
    print(f"cheapest {room.number} for {room.price}")
    return room
