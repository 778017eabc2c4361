"""A server of tools (MCP) as a team's file names it. This module is cheap to import.

mcp:
  search: {command: [uvx, some-search-server], env: {API_KEY: SEARCH_API_KEY}}
  wiki: {url: "https://wiki.example.org/mcp", headers: {Authorization: WIKI_TOKEN}}
"""

import os
import re
from collections.abc import Mapping
from typing import Annotated, Final, Self
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, StringConstraints, field_validator, model_validator

from minerva_platform.config.limits import Section

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SCHEMES: Final = frozenset({"http", "https"})

ServerName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]
"""What a server is called in a team: lower case, digits, `_` and `-`."""


class McpServerSpec(Section):
    """A program to start (`command`), or an address (`url`). Secrets stand in the environment.

    No error shows a value that the file holds, because it may be a secret in the wrong place.
    """

    model_config = ConfigDict(hide_input_in_errors=True)

    command: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    """The program and its arguments. It talks over its standard input and output."""
    url: str | None = None
    """The address of a server that talks over HTTP (streamable)."""
    env: dict[str, str] = {}
    """Variable of the program -> name of the environment variable that holds its value."""
    headers: dict[str, str] = {}
    """Header of each request -> name of the environment variable that holds its value."""
    prefix: str = Field(default="", pattern=r"^[a-zA-Z0-9_-]{0,32}$")
    """Stands before the names of its tools, so that they differ from another server's."""
    timeout_seconds: float = Field(default=30.0, gt=0)
    """Seconds for its start, for a list of its tools, and for each call of one."""

    @field_validator("url")
    @classmethod
    def _check_url(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            parts = urlsplit(value)
            is_sound = parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_sound = False
        else:
            if parts.username is not None or parts.password is not None:
                message = "a secret does not belong in a file: name its variable in `headers`"
                raise ValueError(message)
        if not is_sound:
            message = "it is no address; write http://… or https://…"
            raise ValueError(message)
        return value

    @field_validator("env", "headers")
    @classmethod
    def _check_variables(cls, value: dict[str, str]) -> dict[str, str]:
        for name, variable in value.items():
            if not _VARIABLE.fullmatch(variable):
                message = (
                    f"the value of `{name}` is no name of an environment variable; write the "
                    "variable's name here, and the secret into the variable"
                )
                raise ValueError(message)
        return value

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        if bool(self.command) == (self.url is not None):
            message = "a server has either a `command` or a `url`; write one of them"
            raise ValueError(message)
        if self.url is None and self.headers:
            message = "`headers` belong to a server with a `url`; a `command` takes `env`"
            raise ValueError(message)
        if self.url is not None and self.env:
            message = "`env` belongs to a server with a `command`; a `url` takes `headers`"
            raise ValueError(message)
        return self

    @property
    def secrets(self) -> Mapping[str, str]:
        """Variable or header of the server -> name of the environment variable with its value."""
        return self.headers if self.url is not None else self.env

    @property
    def shown(self) -> str:
        """The server as an error shows it: the program alone, or the address without a query."""
        if self.url is None:
            return f"`{self.command[0]}`"
        parts = urlsplit(self.url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"

    def missing_variables(self) -> list[str]:
        """Return the environment variables that it names and that are not set, in order."""
        return [name for name in dict.fromkeys(self.secrets.values()) if not os.environ.get(name)]

    def secret_values(self) -> dict[str, str]:
        """Return the values by variable or header of the server.

        Raises:
            KeyError: an environment variable is not set.
        """
        return {name: os.environ[variable] for name, variable in self.secrets.items()}
