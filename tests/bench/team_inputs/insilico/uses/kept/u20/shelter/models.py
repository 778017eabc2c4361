from django.db import models


class Plant(models.Model):
    species = models.CharField(max_length=40)
    pot = models.IntegerField()

    def __str__(self):
        return self.species


class Pet(models.Model):
    class Species(models.TextChoices):
        CAT = "cat"
        DOG = "dog"

    name = models.CharField(max_length=40)
    species = models.CharField(max_length=10, choices=Species.choices)
    friends = models.ManyToManyField("self", blank=True)

    class Meta:
        unique_together = ("name", "species")
        permissions = [("see_species", "Can see species")]

    def __str__(self):
        return f"{self.name} ({self.get_species_display()})"

    def natural_key(self):
        return (self.name, self.species)

    def kin(self):
        return self.friends.filter(species=self.species)


class Adoption(models.Model):
    pet = models.OneToOneField(Pet, related_name="adoption", on_delete=models.CASCADE,
                               limit_choices_to={"species__in": ["cat", "dog"]})
    plant = models.ForeignKey(Plant, null=True, on_delete=models.SET_NULL)
    owner = models.CharField(max_length=60)

    def gift(self):
        return f"{self.pet.species} and {self.plant.species}"
