import logging
from string import Template

from .entities import Subscriber

log = logging.getLogger("letters")
LINE = Template("letter for $surname <$email> is ready")


def finish(sub: Subscriber) -> None:
    log.info(LINE.substitute(surname=sub.surname, email=sub.email))


def finish_all(subs: list[Subscriber]) -> None:
    for sub in subs:
        log.debug("%(phone)s done", sub.__dict__)
