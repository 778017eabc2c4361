import csv
import sys

from .store import Store
from .types import Film, Person

FIELDS = ("title", "year")


def table(store: Store) -> None:
    out = csv.writer(sys.stdout)
    out.writerow(FIELDS)
    for film in store.films():
        out.writerow(getattr(film, name) for name in FIELDS)


def heading(text: str) -> str:
    return text.title()


def who(person: Person) -> str:
    return heading(person.title or "") + person.name


def first(store: Store) -> str:
    film: Film = store.films()[0]
    return heading(film.title)
