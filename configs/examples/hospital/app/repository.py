"""SQL of the front office, one class per table."""

from typing import Any

from app.models import Admission, Diagnosis, Patient

SELECT_PATIENT = """
    SELECT PAT_ID, PAT_NM, JUMIN_NO, BIRTH_DT, SEX_CD, HP_NO, EMAIL, ADDR, USE_AT, REG_DATE
      FROM TB_PATIENT
     WHERE PAT_ID = :pat_id
       AND USE_AT = 'Y'
"""


class PatientRepository:
    """Reads and writes TB_PATIENT."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def find(self, pat_id: str) -> Patient | None:
        """Give the active patient with this number, or None."""
        row = self.connection.execute(SELECT_PATIENT, {"pat_id": pat_id}).fetchone()
        return Patient(*row) if row else None

    def find_by_name(self, name: str) -> list[Patient]:
        rows = self.connection.execute(
            "SELECT * FROM TB_PATIENT WHERE PAT_NM LIKE :name AND USE_AT = 'Y'",
            {"name": f"{name}%"},
        )
        return [Patient(*row) for row in rows]

    def insert(self, patient: Patient) -> None:
        """Write a new patient."""
        self.connection.execute(
            "INSERT INTO TB_PATIENT (PAT_ID, PAT_NM, JUMIN_NO, BIRTH_DT, SEX_CD, HP_NO, EMAIL, USE_AT) "
            "VALUES (:pat_id, :pat_nm, :jumin_no, :birth_dt, :sex_cd, :hp_no, :email, :use_at)",
            vars(patient),
        )

    def deactivate(self, pat_id: str) -> None:
        self.connection.execute(
            "UPDATE TB_PATIENT SET USE_AT = 'N' WHERE PAT_ID = :pat_id", {"pat_id": pat_id}
        )


class AdmissionRepository:
    """Reads TB_ADMISSION."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def of_patient(self, ptnt_no: str) -> list[Admission]:
        rows = self.connection.execute(
            "SELECT ADM_NO, PTNT_NO, ADM_DT, DSCH_DT, WARD_CD, QNTM_ST, REG_DT "
            "FROM TB_ADMISSION WHERE PTNT_NO = :ptnt_no ORDER BY ADM_DT DESC",
            {"ptnt_no": ptnt_no},
        )
        return [Admission(*row) for row in rows]


class DiagnosisRepository:
    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def of_patient(self, pat_id: str) -> list[Diagnosis]:
        rows = self.connection.execute(
            "SELECT d.DIAG_NO, d.PAT_ID, d.DGNS_CD, d.DIAG_NM FROM TB_DIAGNOSIS d "
            "JOIN TB_PATIENT p ON p.PAT_ID = d.PAT_ID WHERE d.PAT_ID = :pat_id AND d.USE_YN = 'Y'",
            {"pat_id": pat_id},
        )
        return [Diagnosis(*row) for row in rows]
