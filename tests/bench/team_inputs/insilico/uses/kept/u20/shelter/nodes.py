import graphene
from graphene import relay
from graphene_django import DjangoObjectType

from .models import Adoption, Pet, Plant


class PetNode(DjangoObjectType):
    sound = graphene.String()

    class Meta:
        model = Pet
        interfaces = (relay.Node,)
        fields = ("id", "name", "species", "friends")
        filter_fields = {"species": ["exact"], "name": ["icontains"]}

    def resolve_species(self, info):
        return self.species.lower()

    @staticmethod
    def resolve_sound(root: Pet, info):
        return {"cat": "meow"}.get(root.species, "wuff")


class PlantNode(DjangoObjectType):
    class Meta:
        model = Plant
        interfaces = (relay.Node,)
        fields = ["species", "pot"]

    def resolve_species(self, info):
        return self.species.title()


class AdoptionNode(DjangoObjectType):
    class Meta:
        model = Adoption
        fields = "__all__"
        filter_fields = ["pet__species", "owner"]
