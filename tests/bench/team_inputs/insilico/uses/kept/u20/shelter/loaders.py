from collections import defaultdict

from django.db.models import Count
from promise.dataloader import DataLoader

from .models import Pet, Plant


class PetsBySpecies(DataLoader):
    def batch_load_fn(self, keys):
        found = defaultdict(list)
        for pet in Pet.objects.filter(species__in=keys).iterator():
            found[pet.species].append(pet)
        return [found[k] for k in keys]


def statistics() -> dict[str, int]:
    rows = Pet.objects.values_list("species").annotate(n=Count("pk"))
    return dict(rows)


def plant_statistics():
    return dict(Plant.objects.values_list("species").annotate(n=Count("pk")))


def choices():
    field = Pet._meta.get_field("species")
    return [value for value, _ in field.choices]


def deferred():
    return Pet.objects.defer("species"), Plant.objects.defer("species")
