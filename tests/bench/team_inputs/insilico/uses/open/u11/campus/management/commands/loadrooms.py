import csv

from django.core.management.base import BaseCommand

from campus.models import Building, Room, Shuttle


class Command(BaseCommand):
    def add_arguments(self, parser):
        parser.add_argument("path")
        parser.add_argument("--capacity", type=int, default=10)

    def handle(self, *args, **options):
        rooms = []
        with open(options["path"]) as file:
            for row in csv.DictReader(file):
                building, _ = Building.objects.get_or_create(name=row["building"])
                size = row.get("seats") or options["capacity"]
                rooms.append(Room(building=building, number=row["number"], capacity=size))
        Room.objects.bulk_create(
            rooms,
            update_conflicts=True,
            update_fields=["capacity"],
            unique_fields=["building", "number"],
        )
        Shuttle.objects.update_or_create(plate="X", defaults={"capacity": 12})
        smallest = Room.objects.earliest("capacity")
        self.stdout.write(f"{smallest.number}: {smallest.capacity}")
