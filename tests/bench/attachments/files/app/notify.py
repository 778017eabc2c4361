import logging

from . import config
from .utils import normalize_phone

log = logging.getLogger(__name__)


def send_sms(phone, text):
    number = normalize_phone(phone)
    log.info("sms %s -> %s: %s", config.SMS_SENDER, number, text)
    return True
