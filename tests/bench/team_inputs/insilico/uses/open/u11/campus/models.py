from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce


class Sized(models.Model):
    note = models.CharField(max_length=80, blank=True)

    class Meta:
        abstract = True


class Building(Sized):
    name = models.CharField(max_length=40)

    @property
    def seats(self):
        return self.rooms.aggregate(n=models.Sum("capacity"))["n"] or 0


class Room(Sized):
    building = models.ForeignKey(Building, related_name="rooms", on_delete=models.CASCADE)
    number = models.CharField(max_length=10)
    capacity = models.PositiveIntegerField(validators=[MinValueValidator(1)])

    class Meta:
        ordering = [F("capacity").desc(), "number"]

    def clean(self):
        if self.capacity > 900:
            from django.core.exceptions import ValidationError

            raise ValidationError({"capacity": "too large"})


class Shuttle(Sized):
    plate = models.CharField(max_length=10)
    capacity = models.PositiveSmallIntegerField(default=8)

    class Meta:
        ordering = ["capacity"]


class Exam(Sized):
    room = models.ForeignKey(Room, related_name="exams", on_delete=models.PROTECT)
    shuttle = models.ForeignKey(Shuttle, null=True, on_delete=models.SET_NULL)
    seats = models.PositiveIntegerField()

    @classmethod
    def crowded(cls):
        return cls.objects.filter(Q(seats__gt=F("room__capacity")) | Q(shuttle__capacity__lt=4))

    def free(self):
        lost = self.shuttle.capacity if self.shuttle else 0
        return self.room.capacity - self.seats - lost
