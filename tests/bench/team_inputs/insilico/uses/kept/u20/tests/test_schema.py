import pytest

from shelter.models import Adoption, Pet, Plant
from shelter.schema import schema

PETS = """
{
  pets(species: "cat") {
    edges { node { name species } }
  }
  plants { species pot }
}
"""


@pytest.fixture
def cat(db):
    return Pet.objects.create(name="Tom", species=Pet.Species.CAT)


def test_pets(cat):
    data = schema.execute(PETS).data
    assert data["pets"]["edges"][0]["node"]["species"] == "cat"
    assert data["plants"] == []


def test_gift(cat):
    rose = Plant(species="rose", pot=2)
    adoption = Adoption(pet=cat, plant=rose)
    assert adoption.gift() == "cat and rose"
    assert adoption.plant.species == "rose"
    assert adoption.pet.species == "cat"
