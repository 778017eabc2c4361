"""Say once that something does not work, however often it is tried."""

import logging
from dataclasses import dataclass


@dataclass(slots=True)
class Outage:
    """What is tried again and again. It is logged when it first fails, and when it works again."""

    log: logging.Logger
    what: str
    """Such as "the queue cannot be read"."""
    is_there: bool = False

    def failed(self, error: Exception) -> None:
        """Log the failure, unless the try before has failed, too."""
        if not self.is_there:
            self.log.warning("%s: %s", self.what, error)
        self.is_there = True

    def worked(self) -> None:
        """Log that it works again, if it had failed."""
        if self.is_there:
            self.log.warning("%s: it works again", self.what)
        self.is_there = False
