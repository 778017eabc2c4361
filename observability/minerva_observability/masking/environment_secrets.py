"""Secrets in environment variables, recognised by the names of the variables."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from minerva_observability.masking.hidden_values import HiddenValues

MIN_SECRET_CHARACTERS: Final = 6
"""Characters; masking a shorter value would mask ordinary words."""
SECRET_NAMES: Final = (
    *("_KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "_PASS", "_PWD"),
    *("_PAT", "_COOKIE", "_CREDENTIAL", "_CONNECTION_STRING", "_SAS"),
)
"""Endings of the names of variables whose values are secrets."""
ADDRESS_NAMES: Final = ("_URL", "_URI", "_DSN", "_ENDPOINT", "_PROXY")
"""Endings of the names of variables whose values may be addresses with a password."""
HEADER_NAMES: Final = ("_HEADERS",)
"""Endings of the names of variables that list headers, as OpenTelemetry's do."""
_TELLING_NAMES: Final = (*SECRET_NAMES, *ADDRESS_NAMES, *HEADER_NAMES)


def environment_values(environment: Mapping[str, str]) -> HiddenValues:
    """Return the secrets of `environment`, ready for a search in texts."""
    return _hidden(_secrets(environment))


def _secrets(environment: Mapping[str, str]) -> frozenset[str]:
    """Return the secrets of `environment`, which another OS thread may change meanwhile."""
    telling = (name for name in environment if name.upper().endswith(_TELLING_NAMES))
    return frozenset(
        secret
        for name in telling
        for secret in _secrets_of(name.upper(), environment.get(name, ""))
        if len(secret.strip()) >= MIN_SECRET_CHARACTERS
    )


@lru_cache(maxsize=16)
def _hidden(secrets: frozenset[str]) -> HiddenValues:
    """Return `secrets` as hidden values; the cache lets the runs of a process share them."""
    values = HiddenValues()
    for secret in secrets:
        values.add("", secret)
    return values


def _secrets_of(name: str, value: str) -> list[str]:
    """Return the secrets in `value`, the value of the variable `name`."""
    if name.endswith(SECRET_NAMES):
        return [value]
    if name.endswith(HEADER_NAMES):
        return [item.partition("=")[2].rpartition(" ")[2] for item in value.split(",")]
    account, is_there, _ = value.partition("://")[2].partition("/")[0].rpartition("@")
    return [account.partition(":")[2]] if is_there else []
