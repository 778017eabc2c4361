"""The files of configs/server say only what the code knows.

Nothing here builds an image or starts a container. `tests/chaos/test_deployed_processes.py`
starts the same commands as processes.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from deployment import (
    FOLDER,
    ROOT,
    UNITS,
    Command,
    commands,
    compose,
    example_environment,
    image_environment,
    instructions,
    read,
    service_command,
    services,
    snippets,
    unit,
    unit_command,
)
from typer.main import get_command

from minerva_platform.cli.main import app
from minerva_platform.config.settings import PlatformSettings

OTHERS = {"PYTHONDONTWRITEBYTECODE"}
"""Variables that Python reads, and not MINERVA."""
SECRET = re.compile(r"PASSWORD|SECRET|TOKEN|KEY")


@pytest.mark.parametrize("command", commands(), ids=str)
def test_the_command_line_takes_every_command(command: Command) -> None:
    """Its words are parsed with the real options and their types; nothing is run."""
    found: Any = get_command(app)
    words = list(command.words)
    context = found.context_class(found, info_name="minerva")
    while hasattr(found, "resolve_command") and not (words and words[0].startswith("-")):
        if not words and found.invoke_without_command:  # `minerva runs` lists them
            return
        name, found, words = found.resolve_command(context, words)
        if not hasattr(found, "resolve_command"):
            found.make_context(name, words, parent=context)
            return
        context = found.context_class(found, info_name=name, parent=context)
    assert words == ["--version"]


def test_a_process_has_more_time_than_its_runs() -> None:
    """Otherwise runs are killed that were promised `--grace` seconds."""
    promised = {
        name: (service["stop_grace_period"], service_command(name))
        for name, service in services().items()
    }
    promised |= {
        name: (unit(name)["Service"]["TimeoutStopSec"], unit_command(name)) for name in UNITS
    }

    for given, command in promised.values():
        assert int(given.removesuffix("s")) > float(command.option("--grace")), command


def test_every_variable_is_read() -> None:
    """A name that nothing reads is a mistake, or a promise that is not kept."""
    named = {*image_environment(), *example_environment()}
    named |= {key for service in services().values() for key in service["environment"]}
    for name in UNITS:
        named |= set(re.findall(r"^Environment=(\w+)=", read(name), re.MULTILINE))
    sources = "\n".join(
        path.read_text(encoding="utf-8")
        for room in ("platform", "observability")
        for path in (ROOT / room).glob("minerva_*/**/*.py")
    )

    assert {name for name in named - OTHERS if f'"{name}"' not in sources} == set()
    assert {"MINERVA_STORAGE_URL", "MINERVA_STORAGE_PASSWORD", "MINERVA_HOME"} <= named


def test_every_setting_of_the_page_is_one() -> None:
    """What the page lets a person write into platform.yaml is accepted there."""
    found = snippets("yaml")

    assert len(found) == 1
    for text in found:
        PlatformSettings.model_validate(yaml.safe_load(text))


def test_compose_fills_in_what_the_example_names() -> None:
    """A variable that compose.yaml asks for is one that a person was told to set."""
    asked = set(re.findall(r"\$\{(\w+)", read("compose.yaml")))

    assert asked == {"MINERVA_STORAGE_PASSWORD"}
    assert asked <= set(example_environment())


def test_no_secret_stands_in_a_file() -> None:
    """Neither as a value, nor in a URL; and git ignores the file that has them."""
    given = {**image_environment(), **example_environment()}
    for service in compose()["services"].values():
        given |= service["environment"]
    secrets = {name: value for name, value in given.items() if SECRET.search(name)}
    command = ("git", "check-ignore", "--quiet", FOLDER / ".env")
    ignored = subprocess.run(command, cwd=ROOT, check=False)

    assert {value for value in secrets.values() if not value.startswith("${")} == {""}
    assert [
        path.name for path in FOLDER.iterdir() if re.search(r"://\w+:[^@\s]+@", _text(path))
    ] == []
    assert ignored.returncode == 0


def test_the_image_is_built_from_what_is_there() -> None:
    """`dist` is made by `make dist`; nothing but it and the lock is let into the build."""
    let_in = {
        line.removeprefix("!")
        for line in read("Dockerfile.dockerignore").splitlines()
        if line.startswith("!")
    }
    mounted = set(re.findall(r"source=([\w./-]+)", " ".join(instructions("RUN"))))

    for service in services().values():
        context = FOLDER / service["build"]["context"]
        assert context.resolve() == ROOT
        assert (context / service["build"]["dockerfile"]) == context / "configs/server/Dockerfile"
    assert mounted == {"configs/locks/base.txt", "dist"}
    assert let_in == {"configs/locks/base.txt", "dist/*.whl"}
    assert (ROOT / "configs/locks/base.txt").exists()
    assert re.search(r"^dist: ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert instructions("COPY") == []


def test_what_is_mounted_is_there() -> None:
    """Docker would make a folder of the name of a file that is not there."""
    volumes = [volume for service in services().values() for volume in service["volumes"]]
    sources = {volume.partition(":")[0] for volume in volumes}

    assert {name for name in sources if name not in compose()["volumes"]} == {
        "../platform.yaml",
        "../teams",
    }
    assert [name for name in sources if name.startswith(".") and not (FOLDER / name).exists()] == []
    assert image_environment()["MINERVA_CONFIG"] == "/etc/minerva"


def test_nobody_beyond_the_host_reaches_a_port() -> None:
    """TLS and the world are the proxy's."""
    found: dict[str, Any] = compose()["services"]
    ports = [port for service in found.values() for port in service.get("ports", [])]

    assert ports == ["127.0.0.1:8123:8123"]
    assert unit_command(UNITS[0]).option("--host") == "127.0.0.1"


def test_containers_have_no_rights_that_they_do_not_need() -> None:
    """No root, no capability, nothing to write but the volumes and /tmp."""
    found: dict[str, Any] = compose()["services"]

    assert instructions("USER") == ["minerva"]
    assert found["postgres"]["user"] == "postgres"
    for service in found.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]


def test_units_are_what_systemd_reads(tmp_path: Path) -> None:
    """Every key is one of systemd's, and the server's differ from the workers' in one command.

    Where `systemd-analyze` is installed it judges them; elsewhere only their form is looked at.
    """
    for name in UNITS:
        text = read(name).replace("/opt/minerva/bin/minerva", str(_minerva()))
        (tmp_path / name.replace("@", "@1")).write_text(text, encoding="utf-8")
        assert set(unit(name).sections()) == {"Unit", "Service", "Install"}
    first, second = (dict(unit(name)["Service"]) for name in UNITS)
    assert {key for key in first if first[key] != second[key]} == {"ExecStart"}

    if shutil.which("systemd-analyze"):
        files = [str(path) for path in sorted(tmp_path.glob("*.service"))]
        command = ["systemd-analyze", "verify", "--recursive-errors=no", *files]
        told = subprocess.run(command, capture_output=True, text=True, check=False)
        assert [line for line in told.stderr.splitlines() if str(tmp_path) in line] == []


def test_the_page_names_every_file() -> None:
    """A file that no page names is not found by whoever needs it."""
    page = read("README.md")
    names = {path.name for path in FOLDER.iterdir()} - {"README.md", ".env"}

    assert {name for name in names if name.removesuffix(".dockerignore") not in page} == set()


def test_the_proxy_gives_nobody_another_name() -> None:
    """The server takes requests for loopback as a person's on its machine, if it has no tokens."""
    text = read("nginx.conf")

    assert "proxy_set_header Host $host;" in text
    assert "proxy_buffering off;" in text
    for name in ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"):
        assert f'proxy_set_header {name} "";' in text


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _minerva() -> Path:
    return Path(sys.executable).with_name("minerva")
