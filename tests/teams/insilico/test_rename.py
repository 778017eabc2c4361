"""Does the search find what a renamed column breaks, and only that? Against labels made by hand.

A file `NAME_uses.txt` labels the application in the folder `NAME`.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from minerva_insilico.core.fields.usage import judged_uses
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.index.indexer import index_tree

HERE = Path(__file__).parent
MIN, MIN_OF_A_FIELD = 0.95, 0.9

Place = tuple[str, int]


class Labels(NamedTuple):
    """The places of one field of one application."""

    application: str
    half: str
    field: str
    places: set[Place]


def read_labels() -> Iterator[Labels]:
    """Yield the labels of every field of every application."""
    for source in sorted(HERE.glob("*_uses.txt")):
        places: set[Place] = set()
        for line in source.read_text(encoding="utf-8").splitlines():
            if line.startswith("["):
                half, field = line[1:].split("] ")
                places = set()
                yield Labels(source.name.removesuffix("_uses.txt"), half, field, places)
            elif line and not line.startswith("#"):
                path, _kind, *numbers = line.split()
                places.update((path, int(number)) for number in numbers)


LABELS = list(read_labels())
HALVES = sorted({one.half for one in LABELS})


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Index]]:
    """Give the indexes of the applications."""
    home = tmp_path_factory.mktemp("home")
    names = {one.application for one in LABELS}
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(Index(index_tree(HERE / name, home=home).database))
            for name in names
        }


def places_of(index: Index, field: str) -> set[Place]:
    """Return what the search finds for a field, and the migrations that it tells apart."""
    found = judged_uses(index, field)
    history = [use for use in found.left_out if use.reason == "migration"]
    return {(use.path, use.line) for use in (*found.uses, *history)}


@pytest.mark.slow
@pytest.mark.parametrize("half", HALVES)
def test_the_places_of_all_fields(indexes: dict[str, Index], half: str) -> None:
    """Precision and recall over each half, the one that nobody tuned for among them."""
    labels = [one for one in LABELS if one.half == half]
    found = {
        (one.application, one.field, *place)
        for one in labels
        for place in places_of(indexes[one.application], one.field)
    }
    wanted = {(one.application, one.field, *place) for one in labels for place in one.places}

    assert len(found & wanted) / len(found) >= MIN, sorted(found - wanted)
    assert len(found & wanted) / len(wanted) >= MIN, sorted(wanted - found)


@pytest.mark.parametrize("labels", LABELS, ids=lambda one: f"{one.application}-{one.field}")
def test_the_places_of_a_field(indexes: dict[str, Index], labels: Labels) -> None:
    """No field is bad enough to hide behind the others."""
    found, wanted = places_of(indexes[labels.application], labels.field), labels.places
    told = f"wrong {sorted(found - wanted)}; missed {sorted(wanted - found)}"

    assert len(found & wanted) / len(found) >= MIN_OF_A_FIELD, told
    assert len(found & wanted) / len(wanted) >= MIN_OF_A_FIELD, told


def test_some_fields_were_never_tuned_for() -> None:
    """Five fields of the clinic were looked at while the search was made, four were not."""
    halves = [one.half for one in LABELS if one.application == "clinic"]

    assert (halves.count("tuning"), halves.count("test")) == (5, 4)
