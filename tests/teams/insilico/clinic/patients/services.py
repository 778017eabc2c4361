"""What the clinic does with patients."""

from django.db import transaction
from django.db.models import Case, Count, F, Max, OuterRef, Subquery, Value, When

from billing.models import Invoice
from patients.models import Patient, Visit


def register(name: str, birth_date, phone: str = "") -> Patient:
    """Make a patient; a known phone is not registered twice."""
    patient, _ = Patient.objects.get_or_create(
        phone=phone,
        defaults={"name": name, "birth_date": birth_date, "status": "active"},
    )
    return patient


def merge(kept: Patient, dropped: Patient) -> None:
    for field in ("birth_date", "phone", "family_doctor_id"):
        if not getattr(kept, field):
            setattr(kept, field, getattr(dropped, field))
    kept.birth_date = kept.birth_date or dropped.birth_date
    with transaction.atomic():
        dropped.visits.update(patient=kept)
        dropped.status = Patient.Status.CLOSED
        Patient.objects.bulk_update([kept, dropped], ["birth_date", "phone", "status"])


def statistics():
    rows = Patient.objects.values("status").annotate(total=Count("pk"))
    counts = {row["status"]: row["total"] for row in rows}
    youngest = Patient.objects.aggregate(last=Max("birth_date"))["last"]
    return {"counts": counts, "youngest": youngest}


def last_visits():
    latest = Visit.objects.filter(patient=OuterRef("pk")).order_by("-started_at")
    return Patient.objects.annotate(
        last_visit=Subquery(latest.values("started_at")[:1]),
        rank=Case(When(status="active", then=Value(1)), default=Value(2)),
    ).order_by("rank", F("birth_date").desc(nulls_last=True))


def settle(invoice: Invoice) -> None:
    """Set an invoice's status, not the patient's."""
    invoice.status = "paid"
    invoice.save(update_fields=["status"])
    if invoice.visit.patient.status == "closed":
        invoice.visit.patient.close()


def load(doctor_id: int):
    by_day = Visit.objects.filter(doctor_id=doctor_id).values_list("started_at__date", flat=True)
    return Patient.objects.filter(visits__doctor_id=doctor_id).distinct(), list(by_day)


def contact_card(patient):
    return {"name": patient.name, "phone": patient.phone, "birth_date": patient.birth_date}


def render_badge(status, phone=None):
    """Draw a badge; status is any word."""
    color = {"status": "blue"}.get(status, "grey")
    return f"<b class='{color}'>{status}</b>{phone or ''}"
