"""Admissions and how long they last."""

from datetime import datetime

from app.models import Admission
from app.repository import AdmissionRepository


def days_between(start: str, end: str) -> int:
    """Count the nights between two dates written as YYYYMMDD."""
    form = "%Y%m%d"
    return (datetime.strptime(end, form) - datetime.strptime(start, form)).days


class AdmissionService:
    """Answers questions about a patient's stays."""

    def __init__(self, admissions: AdmissionRepository) -> None:
        self.admissions = admissions

    def current(self, ptnt_no: str) -> Admission | None:
        for admission in self.admissions.of_patient(ptnt_no):
            if admission.dsch_dt is None:
                return admission
        return None

    def nights(self, admission: Admission, today: str) -> int:
        return days_between(admission.adm_dt, admission.dsch_dt or today)

    def in_ward(self, admissions: list[Admission], ward: str) -> list[Admission]:
        return [admission for admission in admissions if admission.ward_cd == ward]
