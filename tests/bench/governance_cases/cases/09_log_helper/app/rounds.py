import logging

from .models import Patient

log = logging.getLogger(__name__)


def visit(patient: Patient) -> None:
    line = "{p.surname} has {p.diagnosis}"
    log.debug(line.format(p=patient))


def close_day(patients: list[Patient]) -> None:
    log.info("day closed, %d patients", len(patients))
