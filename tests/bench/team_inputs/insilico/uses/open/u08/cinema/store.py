import itertools
import json
from pathlib import Path

from .types import Film, Person, Poster, Screening


class Store:
    def __init__(self) -> None:
        self._films: dict[str, Film] = {}
        self._posters: list[Poster] = []
        self._screenings: list[Screening] = []
        self._ids = itertools.count(1)

    def load(self, path: Path) -> None:
        for record in json.loads(path.read_text()):
            director = Person(**record.pop("director"))
            film = Film(director=director, **record)
            self._films[film.id] = film

    def add(self, title: str, year: int, director: str) -> Film:
        film = Film(
            id=str(next(self._ids)),
            title=title,
            year=year,
            director=Person(name=director, title="Dr."),
        )
        self._films[film.id] = film
        self._posters.append(Poster(title=f"{title} (poster)", url=""))
        return film

    def get(self, id: str) -> Film:
        return self._films[id]

    def films(self) -> list[Film]:
        return list(self._films.values())

    def posters(self) -> list[Poster]:
        return [p for p in self._posters if p.title]

    def screenings(self) -> list[Screening]:
        return sorted(self._screenings, key=lambda s: (s.at, s.film.title))
