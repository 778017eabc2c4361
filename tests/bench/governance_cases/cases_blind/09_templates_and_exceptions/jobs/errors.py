import logging

from .entities import Subscriber

log = logging.getLogger("errors")


class BadSubscriber(Exception):
    def __init__(self, sub: Subscriber):
        super().__init__("cannot bill " + sub.resident_number)


def bill(sub: Subscriber) -> None:
    try:
        if sub.subscriber_id < 0:
            raise BadSubscriber(sub)
    except BadSubscriber:
        log.exception("billing failed")
