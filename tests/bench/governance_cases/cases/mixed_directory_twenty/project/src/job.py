import logging

logging.getLogger("job").info("job done")
