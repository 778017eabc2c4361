"""Appointment service of a small clinic (FastAPI)."""
from __future__ import annotations

import hashlib
import logging
import sys
from datetime import datetime, timedelta
from pathlib import Path

import httpx
import structlog
from fastapi import APIRouter, FastAPI, HTTPException
from pydantic import BaseModel, EmailStr, Field

app = FastAPI(title="clinic")
router = APIRouter(prefix="/appointments")
logger = logging.getLogger("clinic.api")
events = structlog.get_logger("clinic.events")

SLOT = timedelta(minutes=20)
SPOOL = Path("/var/spool/clinic")
REMINDER_HOST = "https://sms.fastnotify.example.com"


class Patient(BaseModel):
    patient_id: int
    surname: str
    resident_number: str = Field(min_length=13, max_length=14)
    email: EmailStr
    phone: str
    diagnosis: str | None = None


class Appointment(BaseModel):
    number: int
    starts_at: datetime
    room_name: str
    patient: Patient


_BOOK: dict[int, Appointment] = {}


def tidy(text: str) -> str:
    return " ".join(text.split())


def mask_number(value: str) -> str:
    return value[:6] + "-*******"


def overlaps(a: Appointment, b: Appointment) -> bool:
    return a.room_name == b.room_name and abs(a.starts_at - b.starts_at) < SLOT


@router.post("/", status_code=201)
async def book(item: Appointment) -> dict:
    patient = item.patient
    if any(overlaps(item, other) for other in _BOOK.values()):
        logger.warning("room %s is taken at %s", item.room_name, item.starts_at)
        raise HTTPException(409, "that slot is taken")
    logger.info(patient.resident_number)
    number = patient.phone
    digits = number.replace("-", "")
    logger.info("will remind on %s", digits)
    logger.debug(f"booked {item.number} for {patient.surname}")
    logger.info("booked", extra={"room": item.room_name, "mail": patient.email})
    _BOOK[item.number] = item
    return {"number": item.number, "starts_at": item.starts_at}


@router.post("/{number}/remind")
async def remind(number: int) -> dict:
    item = _BOOK.get(number)
    if item is None:
        raise HTTPException(404, "no such appointment")
    async with httpx.AsyncClient(timeout=5) as client:
        answer = await client.post(
            f"{REMINDER_HOST}/v2/messages",
            json={"to": item.patient.phone, "text": f"See you at {item.starts_at:%H:%M}"},
        )
    events.info("reminded", status=answer.status_code, recipient=item.patient.email)
    return {"sent": answer.is_success}


@router.post("/{number}/letter")
async def letter(number: int) -> dict:
    item = _BOOK[number]
    target = SPOOL / f"letter-{number}.txt"
    with target.open("w", encoding="utf-8") as out:
        out.write("Finding: " + str(item.patient.diagnosis))
    sys.stdout.write(item.patient.surname + "\n")
    return {"path": target.name}


@router.put("/{number}/patient")
async def replace_patient(number: int, patient: Patient) -> dict:
    item = _BOOK[number]
    if not patient.resident_number.replace("-", "").isdigit():
        raise ValueError("not a resident number: %s" % patient.resident_number)
    logger.info("changed to %s", tidy(str(patient.diagnosis)))
    logger.debug("before the change: %r", item.patient)
    logger.info("now for %s", mask_number(patient.resident_number))
    token = hashlib.sha256(patient.email.encode()).hexdigest()
    logger.info("mail token %s", token)
    _BOOK[number] = item.model_copy(update={"patient": patient})
    return {"number": number}


@router.get("/selftest")
async def selftest() -> dict:
    logger.info("self test with 880417-1234561 and room %s", "R1")
    return {"appointments": len(_BOOK), "slot_minutes": SLOT.seconds // 60}


app.include_router(router)
