from dataclasses import dataclass


@dataclass
class Patient:
    patient_id: int
    surname: str
    resident_number: str
    phone: str
    diagnosis: str
