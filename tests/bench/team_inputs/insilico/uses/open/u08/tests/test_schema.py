from cinema.schema import schema, store
from cinema.types import Film

QUERY = """
query ($t: String) {
  films(title: $t) {
    id
    title
    director { name title }
  }
}
"""
ADD = 'mutation { addFilm(data: {title: "A", year: 1, director: "B"}) { title } }'


def test_query():
    store.add("Alien", 1979, "Scott")
    answer = schema.execute_sync(QUERY, variable_values={"t": "ali"})
    assert answer.errors is None
    film = answer.data["films"][0]
    assert film["title"] == "Alien"
    assert film["director"]["title"] == "Dr."


def test_add():
    answer = schema.execute_sync(ADD)
    assert answer.data["addFilm"]["title"] == "A"


def test_slug():
    film = Film(id="1", title="The Thing", year=1982, director=None)
    assert film.title
