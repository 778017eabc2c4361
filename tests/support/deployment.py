"""What configs/server says: its commands, variables and limits, read from its files."""

import json
import re
import shlex
from configparser import ConfigParser
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / "configs" / "server"
UNITS: Final = ("minerva-server.service", "minerva-worker@.service")
IMAGE: Final = "minerva"
"""The image of our own services; others are somebody else's programs."""


@dataclass(frozen=True, slots=True)
class Command:
    """What is typed after `minerva`, and where that stands."""

    where: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        """Its name in a list of tests."""
        return f"{self.where}: {' '.join(self.words)}"

    def option(self, name: str) -> str:
        """Return what follows an option."""
        return self.words[self.words.index(name) + 1]


def read(name: str) -> str:
    """Return the text of a file."""
    return (FOLDER / name).read_text(encoding="utf-8")


def compose() -> dict[str, Any]:
    """Return compose.yaml as YAML reads it."""
    found: dict[str, Any] = yaml.safe_load(read("compose.yaml"))
    return found


def services() -> dict[str, Any]:
    """Return our own services of compose.yaml."""
    found: dict[str, Any] = compose()["services"]
    return {name: service for name, service in found.items() if service["image"] == IMAGE}


def unit(name: str) -> ConfigParser:
    """Return a unit; of a key that is repeated, the last line."""
    found = ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    found.optionxform = str  # type: ignore[assignment,method-assign]  # as its documentation says
    found.read_string(read(name))
    return found


def instructions(keyword: str) -> list[str]:
    """Return what follows a keyword in the Dockerfile, each instruction on one line."""
    text = re.sub(r"^#.*\n", "", read("Dockerfile"), flags=re.MULTILINE)
    joined = re.sub(r"\\\n\s*", " ", text)
    return re.findall(rf"^{keyword} (.*)$", joined, re.MULTILINE)


def image_environment() -> dict[str, str]:
    """Return the variables that the image sets."""
    (line,) = instructions("ENV")
    return dict(word.split("=", 1) for word in shlex.split(line))


def example_environment() -> dict[str, str]:
    """Return the variables of server.env.example, those behind a # too."""
    return dict(
        re.findall(r"^(?:# )?([A-Z][A-Z_]+)=(.*)$", read("server.env.example"), re.MULTILINE)
    )


def service_command(name: str) -> Command:
    """Return the command of a service of compose.yaml."""
    return Command(f"compose.yaml {name}", tuple(services()[name]["command"]))


def unit_command(name: str) -> Command:
    """Return the command of a unit."""
    program, *words = shlex.split(unit(name)["Service"]["ExecStart"])
    assert Path(program).name == "minerva"
    return Command(name, tuple(words))


def commands() -> list[Command]:
    """Return all commands of `minerva` that the files name."""
    (entry,), (default,) = instructions("ENTRYPOINT"), instructions("CMD")
    assert json.loads(entry) == ["minerva"]
    return [
        *(service_command(name) for name in services()),
        Command("Dockerfile", tuple(json.loads(default))),
        *(unit_command(name) for name in UNITS),
        *_typed(),
    ]


def snippets(language: str) -> list[str]:
    """Return the code of one language in README.md."""
    return re.findall(rf"^```{language}\n(.*?)^```$", read("README.md"), re.MULTILINE | re.DOTALL)


def _typed() -> list[Command]:
    """Return the commands that README.md lets a person type."""
    lines = [line for code in snippets("sh") for line in code.splitlines()]
    lines += re.findall(r"`(minerva [^`]+)`", read("README.md"))
    found = [_minerva_words(line) for line in lines]
    return [Command("README.md", words) for words in dict.fromkeys(found) if words]


def _minerva_words(line: str) -> tuple[str, ...]:
    """Return what follows `minerva` in a line, or the service that `docker compose run` names."""
    begin = re.match(r"(?:\S*/)?minerva (?=\S)|docker compose run --rm (\w+) ", line)
    if begin is None:
        return ()
    assert begin[1] in {None, *services()}
    return tuple(shlex.split(line[begin.end() :], comments=True))
