"""Does the search find what a renamed column breaks, and only that? Against labels made by hand."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from minerva_insilico.core.index import Index
from minerva_insilico.core.indexer import index_tree
from minerva_insilico.core.usage import field_uses

HERE = Path(__file__).parent
MIN, MIN_OF_A_FIELD = 0.95, 0.9

Place = tuple[str, int, str]


def read_labels() -> dict[str, tuple[str, set[Place]]]:
    """Return {field: (half, places)}."""
    labels: dict[str, tuple[str, set[Place]]] = {}
    places: set[Place] = set()
    for line in (HERE / "clinic_uses.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            half, field = line[1:].split("] ")
            places = set()
            labels[field] = half, places
        elif line and not line.startswith("#"):
            path, kind, *numbers = line.split()
            places.update((path, int(number), kind) for number in numbers)
    return labels


LABELS = read_labels()


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """Give the index of the application."""
    home = tmp_path_factory.mktemp("home")
    with Index(index_tree(HERE / "clinic", home=home).database) as index:
        yield index


def places_of(clinic: Index, field: str) -> set[Place]:
    """Return what the search finds for a field."""
    uses = field_uses(clinic, [field], with_variables=False)
    return {(use.path, use.line, use.kind) for use in uses.items}


@pytest.mark.parametrize("half", ["tuning", "test"])
def test_the_places_of_all_fields(clinic: Index, half: str) -> None:
    """Precision and recall over each half, the one that nobody tuned for among them."""
    fields = [field for field, (there, _) in LABELS.items() if there == half]
    found = {(field, *place) for field in fields for place in places_of(clinic, field)}
    wanted = {(field, *place) for field in fields for place in LABELS[field][1]}

    assert len(found & wanted) / len(found) >= MIN, sorted(found - wanted)
    assert len(found & wanted) / len(wanted) >= MIN, sorted(wanted - found)


@pytest.mark.parametrize("field", LABELS)
def test_the_places_of_a_field(clinic: Index, field: str) -> None:
    """No field is bad enough to hide behind the others."""
    found, wanted = places_of(clinic, field), LABELS[field][1]
    told = f"wrong {sorted(found - wanted)}; missed {sorted(wanted - found)}"

    assert len(found & wanted) / len(found) >= MIN_OF_A_FIELD, told
    assert len(found & wanted) / len(wanted) >= MIN_OF_A_FIELD, told


def test_both_halves_are_there() -> None:
    """Five fields were looked at while the search was made, four were not."""
    halves = [half for half, _ in LABELS.values()]

    assert (halves.count("tuning"), halves.count("test")) == (5, 4)
