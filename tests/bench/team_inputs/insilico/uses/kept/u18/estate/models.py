from django.db import models
from django.utils.text import slugify


class Address(models.Model):
    street = models.CharField(max_length=80)
    city = models.CharField(max_length=40)

    class Meta:
        abstract = True

    def one_line(self):
        return f"{self.street}, {self.city}"


class Agent(Address):
    name = models.CharField(max_length=60)

    class Meta:
        ordering = ["city", "name"]


class Listing(models.Model):
    agent = models.ForeignKey(Agent, related_name="listings", on_delete=models.CASCADE)
    title = models.CharField(max_length=80)
    city = models.CharField("City", max_length=40, db_column="town")
    rent = models.IntegerField()

    class Meta:
        indexes = [models.Index("city", "-rent", name="city_rent")]
        index_together = (("city", "title"),)

    @property
    def slug(self):
        return slugify(f"{self.city}-{self.title}")

    def is_local(self):
        return self.city == self.agent.city

    def similar(self):
        return type(self).objects.filter(city=self.city).exclude(pk=self.pk)


class Visit(models.Model):
    listing = models.ForeignKey(Listing, related_name="visits", on_delete=models.CASCADE)
    at = models.DateTimeField()

    def __str__(self):
        return f"{self.listing.city} {self.at}"
