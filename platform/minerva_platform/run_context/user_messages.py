"""Sentences for the person, from code that knows no terminal.

They go to a logger of their own. The command prints them as they are; a server has them in its log.
"""

import logging

NOTICES = __name__
"""The name of the logger."""


def notice(text: str) -> None:
    """Send `text`, a whole sentence, to the person."""
    logging.getLogger(NOTICES).warning("%s", text)
