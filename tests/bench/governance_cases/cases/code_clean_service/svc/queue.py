import logging

logger = logging.getLogger(__name__)


def drain(queue, send):
    """Send every mail of the queue."""
    done = 0
    for mail in queue:
        send(mail)
        done += 1
    logger.info("email queue drained, %d sent", done)
    return done
