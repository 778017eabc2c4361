"""The walls around every test: no network beyond loopback, no settings of the machine."""

import os
import socket
import warnings
from pathlib import Path

import pytest
from pytest_socket import SocketConnectBlockedError


def test_nothing_beyond_this_machine_is_reached() -> None:
    """A test that would pass only online fails at once, on every machine alike."""
    documentation_host = "192.0.2.1"  # RFC 5737: belongs to nobody

    with socket.socket() as client, pytest.raises(SocketConnectBlockedError):
        client.connect((documentation_host, 80))


def test_a_server_on_loopback_is_reached() -> None:
    """Receivers and servers under test listen on 127.0.0.1."""
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
    ):
        assert client.getpeername() == server.getsockname()


def test_each_test_has_a_home_of_its_own(minerva_home: Path) -> None:
    """Records of one test never show up in another's."""
    assert os.environ["MINERVA_HOME"] == str(minerva_home)
    assert not minerva_home.exists()


def test_no_setting_of_the_machine_leaks_in() -> None:
    """A developer's collector or key gets nothing from a test run."""
    leaked = [name for name in os.environ if name.startswith(("OTEL_", "LANGSMITH_", "OPENAI_"))]

    assert leaked == []


@pytest.mark.slow
def test_a_warning_is_an_error() -> None:
    """A deprecation is dealt with when it appears, not when it breaks."""
    with pytest.raises(DeprecationWarning):
        warnings.warn("old", DeprecationWarning, stacklevel=1)
