"""Work that is done at night."""

import csv
import json

from patients.models import Patient, Visit

COLUMNS = ["id", "name", "birth_date", "phone", "status"]


def export_csv(path):
    """Write the patients; the header is the list of fields."""
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=COLUMNS)
        writer.writeheader()
        for row in Patient.objects.values(*COLUMNS):
            writer.writerow(row)


def import_csv(path):
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            Patient.objects.update_or_create(
                phone=row["phone"],
                defaults={"name": row["name"], "birth_date": row["birth_date"] or None},
            )


def job_state(path):
    """The state of a job has a status, too."""
    with open(path) as file:
        job = json.load(file)
    if job["status"] == "done":
        return "status"
    job["status"] = "seen"
    return job.get("status")


def forget_closed():
    for patient in Patient.objects.filter(status="closed").iterator():
        patient.phone = ""
        patient.birth_date = None
        patient.save(update_fields=["phone", "birth_date"])


def assign(doctor_id):
    visits = Visit.objects.filter(doctor_id__isnull=True, started_at__isnull=True)
    return visits.update(doctor_id=doctor_id)
