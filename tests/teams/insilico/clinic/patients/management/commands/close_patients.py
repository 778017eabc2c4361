"""Close the files of patients who have not come for long."""

from django.core.management.base import BaseCommand

from patients.models import Patient


class Command(BaseCommand):
    help = "Sets the status of patients without visits since a year."

    def add_arguments(self, parser):
        parser.add_argument("--status", default="closed")
        parser.add_argument("--year", type=int, required=True)

    def handle(self, *args, **options):
        old = Patient.objects.exclude(visits__started_at__year__gte=options["year"])
        for patient in old.only("pk", "status"):
            self.stdout.write(f"{patient.pk}: {patient.status}")
        changed = old.update(status=options["status"])
        self.stdout.write(self.style.SUCCESS(f"status: {changed}"))
