import logging
import re

logger = logging.getLogger(__name__)
PHONE = re.compile(r"^01[016789]-\d{3,4}-\d{4}$")


def valid_phone(phone):
    ok = bool(PHONE.match(phone))
    if not ok:
        logger.warning("a phone number was refused by the pattern")
    return ok


def report(total, refused):
    print("checked", total, "refused", refused)
