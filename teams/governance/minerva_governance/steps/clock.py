"""What day it is: a parameter, because waivers end and tests must not."""

from collections.abc import Callable
from datetime import date, datetime

Clock = Callable[[], date]


def local_today() -> date:
    """Return today where the process runs."""
    return datetime.now().astimezone().date()
