"""Reminders by text message."""

from app.models import Doctor, Patient


class TextMessage:
    def __init__(self, number: str, text: str) -> None:
        self.number = number
        self.text = text


def remind(patient: Patient, day: str) -> TextMessage:
    """Write the reminder of a visit."""
    message = TextMessage(patient.hp_no, f"{patient.pat_nm}님, {day} 예약을 알려 드립니다.")
    print("sending to", patient.hp_no)
    return message


def call_doctor(doctor: Doctor, text: str) -> TextMessage:
    return TextMessage(doctor.tel_no, f"{doctor.user_nm}: {text}")
