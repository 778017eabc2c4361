import logging

from gate.check import BadApplicant, verify

log = logging.getLogger("gate")


def apply(applicant):
    try:
        return verify(applicant)
    except BadApplicant:
        log.exception("application refused")
        return False
