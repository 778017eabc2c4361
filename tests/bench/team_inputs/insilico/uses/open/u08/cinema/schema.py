from typing import Optional

import strawberry

from .store import Store
from .types import Film, FilmInput, Hit, Poster, Screening

store = Store()


@strawberry.type
class Query:
    @strawberry.field
    def films(self, title: Optional[str] = None) -> list[Film]:
        found = store.films()
        if title:
            found = [f for f in found if title.lower() in f.title.lower()]
        return sorted(found, key=lambda f: f.title)

    @strawberry.field
    def search(self, words: str) -> list[Hit]:
        hits: list[Film | Poster] = [*store.films(), *store.posters()]
        return [hit for hit in hits if words in hit.title]

    @strawberry.field
    def today(self) -> list[Screening]:
        return store.screenings()


@strawberry.type
class Mutation:
    @strawberry.mutation
    def add_film(self, data: FilmInput) -> Film:
        return store.add(title=data.title, year=data.year, director=data.director)

    @strawberry.mutation
    def rename(self, id: strawberry.ID, title: str) -> Film:
        film = store.get(id)
        film.title = title
        return film


schema = strawberry.Schema(Query, Mutation)
