import graphene
from graphene_django.filter import DjangoFilterConnectionField

from .models import Adoption, Pet, Plant
from .nodes import AdoptionNode, PetNode, PlantNode


class Query(graphene.ObjectType):
    pets = DjangoFilterConnectionField(PetNode)
    by_species = graphene.List(PetNode, species=graphene.String(required=True))
    plants = graphene.List(PlantNode)
    adopted = graphene.List(graphene.String)

    def resolve_by_species(root, info, species):
        return Pet.objects.filter(species=species)

    def resolve_plants(root, info):
        return Plant.objects.order_by("species").all()

    def resolve_adopted(root, info):
        rows = Adoption.objects.select_related("pet").order_by("pet__species")
        return [a.pet.get_species_display() for a in rows]


class AddPet(graphene.Mutation):
    class Arguments:
        name = graphene.String(required=True)
        species = graphene.String()

    pet = graphene.Field(PetNode)

    def mutate(root, info, name, species="cat"):
        pet = Pet(name=name, species=species)
        pet.full_clean(exclude=["species"])
        pet.save()
        return AddPet(pet=pet)


class AddPlant(graphene.Mutation):
    class Arguments:
        species = graphene.String()

    plant = graphene.Field(PlantNode)

    def mutate(root, info, species):
        return AddPlant(plant=Plant.objects.create(species=species, pot=1))


class Mutation(graphene.ObjectType):
    add_pet = AddPet.Field()
    add_plant = AddPlant.Field()


schema = graphene.Schema(query=Query, mutation=Mutation)
