import logging

from .entities import Subscriber

log = logging.getLogger("merge")


def greet(sub: Subscriber) -> str:
<<<<<<< HEAD
    log.info("greeting %s", sub.phone)
=======
    log.info("greeting one subscriber")
>>>>>>> feature/quiet
    return "hello"
