"""Registering and finding patients."""

import logging

from app.models import Patient
from app.repository import PatientRepository


class DuplicatePatientError(Exception):
    """The patient's number is taken."""


class PatientService:
    def __init__(self, patients: PatientRepository) -> None:
        self.patients = patients

    def register(self, patient: Patient) -> str:
        """Store a new patient and give the number back."""
        if self.patients.find(patient.pat_id):
            raise DuplicatePatientError(patient.pat_id)
        self.patients.insert(patient)
        logging.info("registered patient %s", patient.jumin_no)
        return patient.pat_id

    def search(self, name: str) -> list[Patient]:
        found = self.patients.find_by_name(name)
        logging.info("search gave %d patients", len(found))
        return sorted(found, key=lambda patient: patient.pat_nm)

    def leave(self, pat_id: str) -> None:
        self.patients.deactivate(pat_id)
