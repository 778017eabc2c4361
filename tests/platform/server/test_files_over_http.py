"""Files over HTTP: given by content, named by digest, taken back; never paths of the server."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import httpx
import pytest
from server import Guarded, Served

TEXT = "환자번호".encode()
DIGEST = sha256(TEXT).hexdigest()


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    """Give a client."""
    with httpx.Client(base_url=served.url, timeout=60) as opened:
        yield opened


def copied(client: httpx.Client, *files: dict[str, str]) -> httpx.Response:
    """Let a worker copy what was uploaded."""
    asked = {"request": "copy this", "attachments": list(files)}
    return client.post("/runs/wait", json={"assistant_id": "desk", "input": asked})


def test_an_upload_is_worked_on_and_its_copy_taken(client: httpx.Client) -> None:
    """Under its own name, by its digest; the answer shows no path of the server."""
    kept = client.post("/files", params={"name": "메모.txt"}, content=TEXT).json()
    values: Any = copied(client, {"sha256": kept["sha256"]}).json()
    (artifact,) = values["artifacts"]
    its = f"/threads/{values['thread_id']}/runs/{values['run_id']}/artifacts/"
    taken = client.get(its + artifact["sha256"])

    assert kept == {"sha256": DIGEST, "name": "메모.txt", "bytes": len(TEXT)}
    assert client.get(f"/files/{DIGEST}").json() == kept
    assert values["status"] == "ok"
    assert values["answer"].splitlines()[0] == "copied 환자번호 from 메모.txt"
    assert artifact == {"name": "copy.txt", "sha256": DIGEST}
    assert (taken.content, taken.headers["content-disposition"]) == (TEXT, "attachment")
    assert client.get(its + "0" * 64).status_code == 404


@pytest.mark.parametrize("name", ["../a.txt", "a/b.txt", "a\x00.txt", "..", "a\u202etxt.exe"])
def test_a_name_that_leads_elsewhere_is_refused(client: httpx.Client, name: str) -> None:
    """Nothing is kept of the file."""
    refused = client.post("/files", params={"name": name}, content=b"x" + name.encode())
    digest = sha256(b"x" + name.encode()).hexdigest()

    assert refused.status_code == 422
    assert refused.json()["error"] in {"invalid_name", "invalid_request"}
    assert client.get(f"/files/{digest}").status_code == 404


def test_what_was_not_uploaded_is_no_attachment(client: httpx.Client) -> None:
    """Neither an unknown digest nor a path of the server; an empty file is none, either."""
    unknown = copied(client, {"sha256": "0" * 64})
    path = copied(client, {"path": "/etc/hostname"})
    empty = client.post("/files", params={"name": "a.txt"}, content=b"")

    assert [each.json()["error"] for each in (unknown, path, empty)] == [
        "unknown_file",
        "invalid_request",
        "invalid_request",
    ]


def test_a_file_is_its_tenant_s(guarded: Guarded) -> None:
    """Another tenant can neither see nor attach it, though the content is kept once."""
    with guarded.client(guarded.token("f-ann", "acme", "read", "run")) as ann:
        ann.post("/files", params={"name": "a.txt"}, content=TEXT)
    with guarded.client(guarded.token("f-bob", "globex", "read", "run")) as bob:
        assert bob.get(f"/files/{DIGEST}").status_code == 404
        assert copied(bob, {"sha256": DIGEST}).json()["error"] == "unknown_file"


def test_an_upload_has_its_own_limit(guarded: Guarded) -> None:
    """Larger than JSON may be, and bounded."""
    with guarded.client(guarded.token("f-large", "acme", "run")) as client:
        large = client.post("/files", params={"name": "a.bin"}, content=b"0" * 5_000_000)
        too_large = client.post(
            "/files", params={"name": "b.bin"}, content=(b"0" * 1_000_000 for _ in range(60))
        )

    assert large.status_code == 200
    assert (too_large.status_code, too_large.json()["error"]) == (413, "body_too_large")
