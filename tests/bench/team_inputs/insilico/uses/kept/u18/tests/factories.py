from factory import Faker, LazyAttribute, SubFactory
from factory.django import DjangoModelFactory

from estate import models


class AgentFactory(DjangoModelFactory):
    class Meta:
        model = models.Agent

    name = Faker("name")
    city = Faker("city")


class ListingFactory(DjangoModelFactory):
    class Meta:
        model = models.Listing

    agent = SubFactory(AgentFactory)
    city = LazyAttribute(lambda listing: listing.agent.city)
    title = Faker("sentence")
    rent = 100
