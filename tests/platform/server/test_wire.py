"""What a server reads of a connection: no body without a token, no form that can be read twice."""

import json
import socket
from collections.abc import Iterator
from contextlib import closing

import httpx
import pytest
from server import Guarded, Served

from minerva_platform.server.access import FAILURES_AT_ONCE
from minerva_platform.server.rate_limit import Rate, address_of

BODY = b'{"limit": 1}'
CHUNKS = b"c\r\n" + BODY + b"\r\n0\r\n"
LENGTH = b"Content-Length: 12\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"


def connected(url: str) -> socket.socket:
    """Return a connection to a server."""
    host, port = url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=30)


def head(url: str, path: str, *more: bytes) -> bytes:
    """Return the beginning of a request."""
    name = url.removeprefix("http://").encode()
    return b"POST " + path.encode() + b" HTTP/1.1\r\nHost: " + name + b"\r\n" + b"".join(more)


def statuses(url: str, sent: bytes, count: int = 1) -> list[bytes]:
    """Send bytes and nothing more; return the status of so many answers."""
    told = b""
    with closing(connected(url)) as connection:
        connection.sendall(sent)
        while told.count(b"HTTP/1.1 ") < count and (part := connection.recv(65_536)):
            told += part
    return [part[:3] for part in told.split(b"HTTP/1.1 ")[1:]]


# No body without a token


@pytest.mark.parametrize("token", [b"", b"X-Api-Key: minerva_guess\r\n"])
@pytest.mark.parametrize("path", ["/files?name=a.bin", "/runs/wait", "/nowhere"])
def test_the_token_is_looked_at_before_a_body(guarded: Guarded, path: str, token: bytes) -> None:
    """401 comes while the client has sent a part of its body alone, and waits."""
    with closing(connected(guarded.url)) as connection:
        connection.sendall(head(guarded.url, path, token, b"Content-Length: 500000\r\n\r\n{"))
        answer = connection.recv(65_536)

    assert answer.startswith(b"HTTP/1.1 401 ")


def test_a_body_is_not_asked_for_without_a_token(guarded: Guarded) -> None:
    """Who asks first whether to send it gets no 100."""
    asks = b"Expect: 100-continue\r\nContent-Length: 500000\r\n\r\n"
    assert statuses(guarded.url, head(guarded.url, "/files?name=a.bin", asks)) == [b"401"]


def test_what_needs_no_token_reads_no_body(guarded: Guarded) -> None:
    """Health is told to whoever sends a part of a large body."""
    sent = head(guarded.url, "/ok", b"Content-Length: 500000\r\n\r\n{").replace(b"POST", b"GET", 1)
    with closing(connected(guarded.url)) as connection:
        connection.sendall(sent)
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200 ")


# Guesses


def test_guesses_of_a_token_are_limited_by_their_address(guarded: Guarded) -> None:
    """429 with the time to wait; whose token is known goes on behind the same address."""
    token = guarded.token("at-work", "acme", "read")
    with guarded.client(token) as at_work, guarded.client(None) as guesser:
        before = at_work.post("/threads/search", json={})
        guesses = [
            guesser.get("/agents", headers={"X-Api-Key": f"minerva_{number}"})
            for number in range(FAILURES_AT_ONCE + 20)
        ]
        known = at_work.post("/threads/search", json={})
        health = guesser.get("/ok")

    codes = [answer.status_code for answer in guesses]
    late = [answer for answer in guesses if answer.status_code == 429]  # on a slow machine not all
    assert codes[0] == 401
    assert set(codes) == {401, 429}
    assert int(late[-1].headers["retry-after"]) >= 1
    assert late[-1].json()["error"] == "too_many_failures"
    assert [each.status_code for each in (before, known, health)] == [200] * 3


def test_guesses_take_no_room() -> None:
    """As many buckets as there is room for; a whole network of IPv6 is one address."""
    rate = Rate(1.0, burst_s=1.0, monotonic=lambda: 0.0)
    waits = [rate.wait_of("first"), rate.wait_of("first")]
    for number in range(10_000):
        rate.wait_of(str(number))
    waits.append(rate.wait_of("first"))
    hosts = ("192.0.2.7", "2001:db8::1", "2001:db8::ffff:2", "::ffff:192.0.2.7")

    assert waits == [0.0, 1.0, 0.0]
    assert [address_of({"client": (host, 1)}) for host in hosts] == [
        "192.0.2.7",
        "2001:db8::/64",
        "2001:db8::/64",
        "192.0.2.7",
    ]


# Forms that are read in several ways


def forms(url: str) -> dict[str, tuple[bytes, list[bytes]]]:
    """Return requests by what is strange in them, and the statuses of their answers."""
    post = head(url, "/threads/search", b"Content-Type: application/json\r\n")
    plain = post + LENGTH + b"\r\n" + BODY
    chunked = post + CHUNKED + b"\r\n" + CHUNKS
    strange = {
        "both lengths": post + LENGTH + CHUNKED + b"\r\n" + CHUNKS + b"\r\n",
        "both lengths, the other way": post + CHUNKED + LENGTH + b"\r\n" + CHUNKS + b"\r\n",
        "the same length twice": post + LENGTH * 2 + b"\r\n" + BODY,
        "two lengths": post + LENGTH + b"Content-Length: 13\r\n\r\n" + BODY,
        "a list of lengths": post + b"Content-Length: 12, 12\r\n\r\n" + BODY,
        "a length with a sign": post + b"Content-Length: +12\r\n\r\n" + BODY,
        "a blank before the colon": post + b"Content-Length : 12\r\n\r\n" + BODY,
        "chunked twice": post + CHUNKED * 2 + b"\r\n" + CHUNKS + b"\r\n",
        "a coding of nobody": post + b"Transfer-Encoding: xchunked\r\n\r\n" + CHUNKS + b"\r\n",
        "chunked in HTTP/1.0": chunked.replace(b"HTTP/1.1", b"HTTP/1.0", 1) + b"\r\n",
        "LF alone": (post + LENGTH + b"\r\n").replace(b"\r\n", b"\n") + BODY,
        "LF alone once": post + b"X: a\n" + LENGTH + b"\r\n" + BODY,
        "LF alone at the end": post + LENGTH + b"\n" + BODY,
        "LF alone after a chunk's size": chunked.replace(b"c\r\n", b"c\n", 1) + b"\r\n",
        "LF alone after a chunk": chunked.replace(b"}\r\n", b"}\n", 1) + b"\r\n",
        "LF alone after the last chunk": chunked + b"\n",
        "LF alone in a trailer": chunked + b"X: y\n\n",
        "CR alone": post + b"X: a\rb\r\n" + LENGTH + b"\r\n" + BODY,
        "a folded line": post + b"Transfer-Encoding:\r\n chunked\r\n\r\n" + CHUNKS + b"\r\n",
        "two names of the server": post + b"Host: b\r\n" + LENGTH + b"\r\n" + BODY,
    }
    fine = {
        "a length": plain,
        "chunks": chunked + b"\r\n",
        "a trailer": chunked + b"X: y\r\n\r\n",
        "LF in the body": post + LENGTH + b'\r\n{"limit":\n1}',
    }
    after = plain + (post + LENGTH + b"\r\n").replace(b"\r\n", b"\n") + BODY
    return {
        **{name: (sent, [b"400"]) for name, sent in strange.items()},
        **{name: (sent, [b"200"]) for name, sent in fine.items()},
        "the second of two": (after, [b"200", b"400"]),
        "two": (plain * 2, [b"200", b"200"]),
    }


def test_a_form_that_servers_read_in_several_ways_is_refused(served: Served) -> None:
    """Both lengths, a length twice, LF without CR, in heads and in trailers."""
    wanted = forms(served.url)
    got = {
        name: statuses(served.url, sent, len(expected)) for name, (sent, expected) in wanted.items()
    }

    assert got == {name: expected for name, (_, expected) in wanted.items()}


def test_half_a_request_does_nothing(served: Served) -> None:
    """The connection ends before the body: no thread is made."""
    name = "half-a-thread"
    body = json.dumps({"thread_id": name}).encode()
    sent = head(served.url, "/threads", b"Content-Length: %d\r\n\r\n" % (len(body) + 1), body)
    with closing(connected(served.url)) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(65_536) == b""
    with httpx.Client(base_url=served.url, timeout=60) as client:
        assert client.get(f"/threads/{name}").status_code == 404


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    """Give a client."""
    with httpx.Client(base_url=served.url, timeout=60) as opened:
        yield opened


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b'{"assistant_id": "depot", "assistant_id": "office", "input": {}}', "assistant_id"),
        (b'{"input": {"request": "a", "request": "b"}}', "request"),
        (b'{"metadata": [{"a": 1}, {"a": 1, "\\u0061": 2}]}', "a"),
    ],
)
def test_a_name_twice_is_refused(client: httpx.Client, body: bytes, name: str) -> None:
    """At any depth, however it is written; the refusal says which."""
    refused = client.post("/runs", content=body, headers={"Content-Type": "application/json"})

    assert (refused.status_code, refused.json()["error"]) == (400, "duplicate_key")
    assert f"`{name}`" in refused.json()["detail"]


def test_a_name_in_two_objects_is_none_twice(client: httpx.Client) -> None:
    """And a number of any size is a number."""
    body = b'{"metadata": {"a": {"x": 1}, "b": {"x": %s}}, "ids": []}' % (b"1" * 300)
    answer = client.post(
        "/threads/search", content=body, headers={"Content-Type": "application/json"}
    )

    assert answer.status_code == 200
