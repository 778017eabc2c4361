"""Rows of the hospital's tables as dataclasses."""

from dataclasses import dataclass
from datetime import date


@dataclass
class Patient:
    """One row of TB_PATIENT."""

    pat_id: str
    pat_nm: str
    jumin_no: str
    birth_dt: str
    sex_cd: str
    hp_no: str
    email: str | None = None
    addr: str | None = None
    use_at: str = "Y"
    reg_date: date | None = None

    def is_active(self) -> bool:
        return self.use_at == "Y"


@dataclass
class Admission:
    """One row of TB_ADMISSION."""

    adm_no: str
    ptnt_no: str
    adm_dt: str
    dsch_dt: str | None = None
    ward_cd: str | None = None
    qntm_st: str | None = None
    reg_dt: str | None = None


@dataclass
class Diagnosis:
    diag_no: str
    pat_id: str
    dgns_cd: str
    diag_nm: str


@dataclass
class Prescription:
    prsc_no: str
    pt_id: str
    drug_cd: str
    qty: int
    prsc_amt: int


@dataclass
class Doctor:
    doctor_id: str
    doctor_nm: str
    user_nm: str
    tel_no: str
