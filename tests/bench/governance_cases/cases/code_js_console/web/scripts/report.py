import logging

logging.getLogger(__name__).info("report finished")
