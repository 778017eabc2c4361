"""What servers here share: the address they listen at, and which requests come from this machine.

Without these checks, a page of another site in a person's browser could reach a server on this
machine: by its address, or by a name that the site lets point here (DNS rebinding).
"""

import errno
import ipaddress
import socket
from typing import Final
from urllib.parse import urlsplit

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
"""The names under which a person reaches a server on their own machine."""


class AddressError(Exception):
    """A server cannot listen as asked. The message says what to do instead."""


def bind(host: str, port: int) -> socket.socket:
    """Return a socket at `host` and `port`; 0 means any free port.

    Raises:
        AddressError: the port is taken or reserved, or the host is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        raise AddressError(_refused(host, port, error)) from error
    except OverflowError as error:
        bound.close()
        msg = f"There is no port {port}; ports go from 1 to 65535."
        raise AddressError(msg) from error
    return bound


def is_loopback(host: str) -> bool:
    """True if only this machine reaches a server at `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def url_of(host: str, port: int) -> str:
    """Return the address of a server as a person types it."""
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def host_name(host: str) -> str:
    """Return the name in a `Host` header, without the port and without the brackets of IPv6."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def is_same_origin(origin: str | None, host: str) -> bool:
    """True if a request comes from a page of `host`, or from outside a browser (no origin)."""
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:
        return False


def _refused(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Another program answers at port {port} of {host}. Take another: --port {port + 1}"
    if error.errno == errno.EACCES:
        return f"Port {port} is reserved for the system. Take one above 1023, such as --port 8070"
    return f"{host} is not an address of this machine ({error.strerror}). Leave out --host."
