import logging

log = logging.getLogger("site")


def start(port):
    log.info("listening on %d", port)
