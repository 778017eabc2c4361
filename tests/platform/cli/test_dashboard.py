"""`minerva dashboard`: what it says when it starts, when it cannot, and how it ends."""

import re
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

Start = Callable[..., "subprocess.Popen[bytes]"]


def test_it_says_where_it_answers_and_ends_with_ctrl_c(start: Start, minerva_home: Path) -> None:
    """By itself on this machine alone; Ctrl-C is how a server is ended, so that is success."""
    process = start("dashboard", "--port", "0")
    assert process.stderr is not None
    line = process.stderr.readline().decode()
    found = re.fullmatch(
        r"Dashboard of (.+): (http://127\.0\.0\.1:\d+/)  \(Ctrl-C ends it\)\n", line
    )

    assert found, line + process.communicate()[1].decode()
    assert found[1] == str(minerva_home)
    with urlopen(found[2]) as answer:  # noqa: S310  # our own
        assert "MINERVA" in answer.read().decode()
    process.send_signal(signal.SIGINT)
    assert process.communicate() == (b"", b"")
    assert process.returncode == 0


def test_a_port_that_is_taken_is_said(invoke: Any) -> None:
    """With the next one to try."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = invoke("dashboard", "--port", str(port))

    assert done.exit_code == 2
    assert f"answers at port {port} of 127.0.0.1. Take another: --port {port + 1}" in done.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])  # noqa: S104  # refused
def test_another_address_needs_a_token(invoke: Any, host: str) -> None:
    """Whoever reaches it could read every record."""
    done = invoke("dashboard", "--host", host)

    assert done.exit_code == 2
    assert "set MINERVA_DASHBOARD_TOKEN or type --token" in done.stderr


def test_a_token_that_could_be_guessed_is_refused(
    invoke: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the command line or the environment; it is never repeated."""
    monkeypatch.setenv("MINERVA_DASHBOARD_TOKEN", "pass1234")
    done = invoke("dashboard", "--host", "0.0.0.0")  # noqa: S104  # refused

    assert done.exit_code == 2
    assert "A token of 8 characters could be guessed; 16 are the least" in done.stderr
    assert "pass1234" not in done.stderr


def test_a_source_that_is_not_there_is_said(invoke: Any) -> None:
    """What was typed must be there; only the home folder may come later."""
    done = invoke("dashboard", "--source", "records")

    assert done.exit_code == 2
    assert "There is no records. Name a file, a folder or a pattern" in done.stderr


def test_without_the_extra_it_says_what_to_install(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A team alone only writes records."""
    (tmp_path / "nicegui.py").write_text('raise ModuleNotFoundError("gone", name="nicegui")\n')
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    process = start("dashboard")
    _, said = process.communicate()

    assert process.returncode == 2
    assert b"needs nicegui, which is not installed here" in said
    assert b"'minerva-observability[dashboard]'" in said
