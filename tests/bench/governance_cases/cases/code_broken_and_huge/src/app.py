import logging

logger = logging.getLogger(__name__)


def handle(batch):
    logger.info("batch of %d rows handled", len(batch))
    return len(batch)
