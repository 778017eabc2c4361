from .audit import quietly, trail
from .models import Patient


def admit(patient: Patient, ward: str) -> None:
    key = patient.resident_number
    trail("admitted", ward=ward, who=key)


@quietly
def check_phone(patient: Patient) -> str:
    number = patient.phone
    if not number.startswith("010"):
        raise ValueError(f"unusable phone {number}")
    return number
