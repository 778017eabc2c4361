"""Who may look (P21): this machine, or who has the token; no other site in one's browser."""

import http.client
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

TOKEN = "correct horse battery staple"  # noqa: S105  # of these tests alone


@pytest.fixture(scope="module")
def closed(records: Path, serve: Any) -> str:
    """A dashboard with a token; `site` is one without."""
    return str(serve("--source", records, MINERVA_DASHBOARD_TOKEN=TOKEN))


def ask(
    url: str, method: str = "GET", body: str | None = None, **headers: str
) -> http.client.HTTPResponse:
    """Ask with exactly these headers."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    connection.request(method, path, body=body, headers=named)
    answer = connection.getresponse()
    answer.text = answer.read().decode()  # type: ignore[attr-defined]
    connection.close()
    return answer


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8070", "127.0.0.1.evil.example", ""]
)
def test_a_name_that_was_made_to_point_here_is_refused(site: str, host: str) -> None:
    """Otherwise any page could read the records by rebinding its own name (DNS rebinding)."""
    for path in ("/", "/static/dashboard.js", "/_nicegui_ws/socket.io/?EIO=4&transport=polling"):
        assert ask(site + path, Host=host).status == 421


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1", "[::1]:9", "LOCALHOST"])
def test_this_machine_may_be_called_by_its_names(site: str, host: str) -> None:
    """At any port: a tunnel has its own."""
    assert ask(site, Host=host).status == 200


SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"


def shake_hands(url: str, **headers: str) -> int:
    """Return the status of a websocket's opening."""
    opening = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    parts = urlsplit(url + SOCKET)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
    named = {name.replace("_", "-"): value for name, value in (opening | headers).items()}
    connection.request("GET", f"{parts.path}?{parts.query}", headers=named)
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1", "x://["])
def test_another_origin_is_refused(site: str, origin: str) -> None:
    """Browsers apply no same-origin rule to websockets; so we do."""
    assert ask(site, Origin=origin).status == 403
    assert shake_hands(site, Origin=origin) == 403


def test_its_own_origin_may_open_a_websocket(site: str) -> None:
    """Or no page would ever show a figure."""
    assert shake_hands(site, Origin=site) == 101


def test_every_answer_forbids_what_is_not_needed(site: str) -> None:
    """To be framed, to be guessed at, to load from elsewhere, to run attributes."""
    for path in ("/", "/static/dashboard.css", "/nowhere"):
        headers = ask(site + path).headers
        policy = headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        for rule in ("default-src 'self'", "frame-ancestors 'none'", "script-src-attr 'none'"):
            assert rule in policy


@pytest.mark.parametrize("path", ["/docs", "/openapi.json", "/redoc", "/.minerva/runs.jsonl"])
def test_nothing_else_is_served(site: str, records: Path, path: str) -> None:
    """No description of the server, no file of the source, wherever an address points."""
    assert ask(site + path).status == 404
    assert ask(f"{site}/?source={records}").status == 200
    assert ask(f"{site}/static/..%2f..%2fapp.py").status == 404


def test_without_the_token_nothing_is_shown(closed: str) -> None:
    """No page, no asset, no websocket; a wrong token changes nothing."""
    for path in ("/", "/runs", "/static/dashboard.js", "/?token=wrong", "/?token="):
        answer = ask(closed + path)
        assert answer.status == 401
        assert "slow_agent" not in answer.text  # type: ignore[attr-defined]
    assert shake_hands(closed, Origin=closed) == 403
    assert ask(closed, Cookie="minerva_dashboard=" + "0" * 64).status == 401
    assert ask(closed, Authorization=f"Bearer {TOKEN}x").status == 401
    assert ask(closed, Authorization=f"Bearer {TOKEN}").status == 200


def test_the_token_leaves_the_address_at_once(closed: str) -> None:
    """It becomes a cookie that scripts cannot read and that does not hold it."""
    query = f"team=data&token={TOKEN.replace(' ', '%20')}"
    answer = ask(f"{closed}//evil.example/?{query}")

    assert answer.status == 303
    assert answer.headers["Location"] == "/evil.example/?team=data"
    cookie = answer.headers["Set-Cookie"]
    assert TOKEN not in cookie
    assert {"HttpOnly", "SameSite=lax"} <= set(cookie.split("; "))
    assert ask(closed, Cookie=cookie.partition(";")[0]).status == 200


def test_a_person_types_the_token_once(closed: str, blank_page: Page) -> None:
    """Then every page and its websocket are open, and no address has it."""
    page = blank_page
    page.goto(closed)
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_label("Token")).to_be_visible()
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Open").click()

    expect(page).to_have_url(f"{closed}/")
    expect(page.locator(".question").first).to_contain_text("slow_agent")


LARGER = """
import json, sys
from fastapi import FastAPI
from fastapi.testclient import TestClient
from minerva_observability.dashboard import DashboardError, add_dashboard

app = FastAPI()

@app.get("/api")
def api() -> str:
    return "mine"

add_dashboard(app, sys.argv[1], prefix="/ops/runs/", hosts=["ops.example"])
try:
    add_dashboard(app, sys.argv[1])
except DashboardError as error:
    refused = str(error)
with TestClient(app, base_url="http://ops.example") as client:
    page = client.get("/ops/runs/agents")
    print(json.dumps({
        "api": client.get("/api").json(),
        "api headers": "content-security-policy" in client.get("/api").headers,
        "other host": client.get("/ops/runs/", headers={"host": "evil.example"}).status_code,
        "api other host": client.get("/api", headers={"host": "evil.example"}).status_code,
        "page": page.status_code,
        "assets": "/ops/runs/static/dashboard.js" in page.text,
        "links": "/ops/runs/failures" in page.text,
        "script": client.get("/ops/runs/static/dashboard.js").status_code,
        "refused": refused,
    }))
"""


def test_a_larger_server_mounts_it(records: Path) -> None:
    """Below a prefix, under its own name; what else the server answers is left alone."""
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LARGER, records],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr

    assert json.loads(run.stdout) == {
        "api": "mine",
        "api headers": False,
        "other host": 421,
        "api other host": 200,
        "page": 200,
        "assets": True,
        "links": True,
        "script": 200,
        "refused": "This process has a dashboard already, at `/ops/runs`. Start another one.",
    }


def test_prometheus_is_guarded_like_a_person(site: str, closed: str) -> None:
    """By the name it asks for; a token goes in the header."""
    assert ask(f"{site}/metrics").status == 200
    assert ask(f"{site}/metrics", Host="evil.example").status == 421
    assert ask(f"{closed}/metrics").status == 401
    assert ask(f"{closed}/metrics", Authorization=f"Bearer {TOKEN}").status == 200
