"""What the reception's screen asks for, as JSON."""

from typing import Any

from app.admission_service import AdmissionService
from app.models import Patient
from app.patient_service import PatientService


def patient_to_json(patient: Patient) -> dict[str, Any]:
    """Give the fields that the screen shows."""
    return {
        "PAT_ID": patient.pat_id,
        "PAT_NM": patient.pat_nm,
        "BIRTH_DT": patient.birth_dt,
        "HP_NO": patient.hp_no,
        "USE_AT": patient.use_at,
    }


def register(service: PatientService, body: dict[str, str]) -> dict[str, str]:
    patient = Patient(
        pat_id=body["PAT_ID"],
        pat_nm=body["PAT_NM"],
        jumin_no=body["JUMIN_NO"],
        birth_dt=body["BIRTH_DT"],
        sex_cd=body["SEX_CD"],
        hp_no=body["HP_NO"],
        email=body.get("EMAIL"),
    )
    return {"PAT_ID": service.register(patient)}


def current_ward(service: AdmissionService, ptnt_no: str) -> dict[str, Any]:
    admission = service.current(ptnt_no)
    return {"PTNT_NO": ptnt_no, "WARD_CD": admission.ward_cd if admission else None}
