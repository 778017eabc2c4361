import logging
from dataclasses import dataclass

from .masking import mask_phone, pseudonym

log = logging.getLogger(__name__)


@dataclass
class Applicant:
    applicant_id: int
    email: str
    phone: str
    plan_name: str


def register(applicant: Applicant, repo) -> int:
    repo.save(applicant)
    log.info("registered applicant_id=%s plan=%s", applicant.applicant_id, applicant.plan_name)
    log.info("contact %s key %s", mask_phone(applicant.phone), pseudonym(applicant.email))
    return applicant.applicant_id


def remind(applicants: list[Applicant], email_sent_count: int) -> None:
    log.info("email_sent_count=%d of %d", email_sent_count, len(applicants))
    if not any(a.phone for a in applicants):
        log.warning("nobody of this batch has a phone")
