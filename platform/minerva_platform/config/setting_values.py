"""Values that a setting may have, where a type of Python says too little."""

import re
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
"""The name of a token or a tenant."""


def name_of(what: str) -> AfterValidator:
    """Return what refuses a text that names nothing; `what` is to be named."""

    def check(name: str) -> str:
        if not NAME.fullmatch(name):
            message = f"{name!r} is no name; write that of {what}"
            raise ValueError(message)
        return name

    return AfterValidator(check)


def checked_origin(value: str) -> str:
    """Return an origin as browsers send it: small, and without the port of its scheme.

    Raises:
        ValueError: it is none.
    """
    found = _ORIGIN.fullmatch(value.lower())
    if found is None:
        message = f"`{value}` is no origin; write scheme, host and port: https://app.example"
        raise ValueError(message)
    return found[0].removesuffix(":443" if found[1] == "https" else ":80")


_ORIGIN: Final = re.compile(r"(https?)://(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::[1-9]\d{0,4})?")
_SECONDS_OF: Final = {"m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}


def _read_age(value: object) -> object:
    match = (
        re.fullmatch(r"([1-9]\d{0,5})([mhdw])", value, re.ASCII) if isinstance(value, str) else None
    )
    if match is None:
        message = f"{value!r} is no length of time; write minutes, hours, days or weeks: 90d, 12h"
        raise ValueError(message)
    return float(match[1]) * _SECONDS_OF[match[2]]


Age = Annotated[float, BeforeValidator(_read_age)]
"""A length of time in seconds, from a text such as `90d`."""
