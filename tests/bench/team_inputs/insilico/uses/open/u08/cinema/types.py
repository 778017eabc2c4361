from __future__ import annotations

import datetime
from typing import Annotated, Union

import strawberry


@strawberry.type
class Person:
    name: str
    title: str | None = None

    @strawberry.field
    def full(self) -> str:
        return f"{self.title or ''} {self.name}".strip()


@strawberry.type
class Film:
    id: strawberry.ID
    title: str
    year: int
    director: Person

    @strawberry.field
    def slug(self) -> str:
        return self.title.lower().replace(" ", "-")

    @strawberry.field
    def credit(self) -> str:
        return f"{self.title} by {self.director.title} {self.director.name}"


@strawberry.type
class Screening:
    film: Film
    at: datetime.datetime

    @strawberry.field
    def label(self) -> str:
        return f"{self.film.title} {self.at:%H:%M}"


@strawberry.type
class Poster:
    title: str
    url: str


Hit = Annotated[Union[Film, Poster], strawberry.union("Hit")]


@strawberry.input
class FilmInput:
    title: str
    year: int
    director: str
