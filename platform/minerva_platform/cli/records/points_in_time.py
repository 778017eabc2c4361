"""Understand when: `24h` ago, or a time by somebody's own clock."""

import re
from datetime import datetime, timedelta

from minerva_platform.cli.io.stream import one_line
from minerva_platform.errors import MinervaError

_AGO = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])", re.ASCII)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class MomentError(MinervaError):
    """An option that takes a time was given something else."""

    def __init__(self, option: str, text: str) -> None:
        self.option, self.text = option, text
        super().__init__(
            f"{option} `{one_line(text)}` is no time that could be meant. Type how long ago: 30m,"
            " 24h, 7d; or when: 2026-01-31, 2026-01-31T09:30 (your clock), 2026-01-31T09:30Z (UTC)."
        )


def text_to_moment(text: str, *, option: str, now: datetime) -> datetime:
    """Return the time that `text` means; without a zone it is that of this machine.

    Raises:
        MomentError: it means none.
    """
    ago = _AGO.fullmatch(text.strip())
    try:
        if ago is not None:
            return now - timedelta(**{_UNITS[ago[2]]: float(ago[1])})
        return datetime.fromisoformat(text.strip()).astimezone()
    except (ValueError, OverflowError) as error:
        raise MomentError(option, text) from error
