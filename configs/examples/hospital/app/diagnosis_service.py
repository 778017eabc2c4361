"""Diagnoses of a patient, newest first."""

from app.repository import DiagnosisRepository


class DiagnosisService:
    def __init__(self, diagnoses: DiagnosisRepository) -> None:
        self.diagnoses = diagnoses

    def summary(self, pat_id: str) -> dict[str, str]:
        """Give the names of a patient's diagnoses by code."""
        found = self.diagnoses.of_patient(pat_id)
        return {diagnosis.dgns_cd: diagnosis.diag_nm for diagnosis in found}

    def has(self, pat_id: str, code: str) -> bool:
        return code in self.summary(pat_id)
