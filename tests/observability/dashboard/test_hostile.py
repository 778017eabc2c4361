"""Names and texts of strangers stay text: on every page, in every chart, with no way out."""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from forms import spread
from playwright.sync_api import ConsoleMessage, Error, Page, Request, WebSocket, expect

HOSTILE = (
    '<img src=x onerror="window.hacked=1">',
    "</script><script>window.hacked=2</script>",
    "{{7*7}}${7*7}#{7*7}",
    "`${window.hacked=3}`",
    "\u202egnp.exe \u200b\u2066",
    "مرحبا بالعالم",
    "n" * 10_000,
    "{a|b}<b>bold</b>",
    "../../../etc/passwd?x=1#y",
    "javascript:window.hacked=4",
    "한글_에이전트 & 'quoted' \"name\"",
)
PATHS = ("/", "/agents", "/calls", "/routing", "/runs", f"/runs/{7:032x}")
TEAM = "/teams/%3Cimg%20src%3Dx%20onerror%3D%22window.hacked%3D1%22%3E"
QUERIES = ("/?team=%3Cimg%20src%3Dx%20onerror%3Dwindow.hacked%3D5%3E", "/runs?search=%3Cimg%3E")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, new_log: Any, serve: Any) -> str:
    """A dashboard whose every name, error, thread, model and decision is hostile."""
    log = new_log(tmp_path_factory.mktemp("records"))
    for number, text in enumerate(HOSTILE):
        log.add_run(
            f"{number:032x}",
            team=text,
            status="ok_degraded",
            reason=text,
            thread_id=text,
            route={
                "arm": text,
                "router": text,
                "decision": {"goals": [text], "scores": {text: 1.0}, "runner_up": text},
            },
            workers=(
                {
                    "agent_name": text.replace("/", ""),
                    "ms": 10.0,
                    "status": "failed",
                    "action": "bypassed",
                    "error": {"type": text, "message": text * 3, "where": text},
                    "nodes": {text: 4.0},
                },
            ),
        )
    return str(serve("--source", log.path.parent))


@pytest.fixture
def watched(site: str, chrome: Any) -> Iterator[tuple[Page, list[str]]]:
    """Give a page, and a list of what it asks others for and what goes wrong in it."""
    page: Page = chrome.tab
    seen: list[str] = []

    def ask(it: Request | WebSocket) -> None:
        seen.extend(_foreign(it.url, site))

    def fail(error: Error) -> None:
        seen.append(f"error: {error}")

    def say(said: ConsoleMessage) -> None:
        seen.extend(_loud(said.type, said.text))

    page.goto("about:blank")  # what was there before is not listened to
    heard: dict[str, Any] = {"request": ask, "websocket": ask, "pageerror": fail, "console": say}
    for event, listener in heard.items():
        page.on(event, listener)  # type: ignore[call-overload]  # an overload a name
    yield page, seen
    for event, listener in heard.items():
        page.remove_listener(event, listener)


def _foreign(asked: str, site: str) -> list[str]:
    there = urlsplit(asked)
    is_ours = there.scheme in {"data", "blob"} or there.netloc == urlsplit(site).netloc
    return [] if is_ours else [f"foreign: {asked}"]


def _loud(kind: str, text: str) -> list[str]:
    return [f"{kind}: {text}"] if kind in {"error", "warning"} else []


ELEMENTS = """() => [
    window.hacked,
    document.querySelectorAll('.content img, .content b b, .side img, [onerror]').length,
    [...document.scripts].filter(script => script.textContent.includes('hacked=')
        && !script.textContent.includes('parseElements')).length,
    [...document.querySelectorAll('a')].filter(a => !/^https?:$/.test(a.protocol)).length,
    document.body.innerText.includes('49$'),
]"""


@pytest.mark.small(1)
@pytest.mark.parametrize("path", spread((*PATHS, TEAM, *QUERIES), 3))
def test_hostile_names_create_no_element(
    site: str,
    path: str,
    watched: tuple[Page, list[str]],
    wait_until_filled: Callable[[Page], None],
) -> None:
    """On no page: nothing runs, and nothing is asked of anybody else."""
    page, seen = watched
    page.goto(site + path)
    wait_until_filled(page)

    assert page.evaluate(ELEMENTS) == [None, 0, 0, 0, False]
    assert seen == []


def test_hostile_names_can_be_read(
    site: str,
    watched: tuple[Page, list[str]],
    wait_until_filled: Callable[[Page], None],
) -> None:
    """As they were written; what has no look of its own is spelled."""
    page, seen = watched
    page.goto(f"{site}/failures")
    wait_until_filled(page)

    assert page.evaluate(ELEMENTS) == [None, 0, 0, 0, False]
    assert seen == []
    expect(page.locator(".panels")).to_contain_text('<img src=x onerror="window.hacked=1">')
    expect(page.locator(".panels")).to_contain_text("{{7*7}}${7*7}")
    expect(page.locator(".panels")).to_contain_text("\\u202egnp.exe \\u200b\\u2066")


@pytest.mark.whole
def test_a_chart_draws_hostile_names_as_text(site: str, watched: tuple[Page, list[str]]) -> None:
    """In axes, legends, and in the tooltip over a bar."""
    page, seen = watched
    page.goto(f"{site}/agents")
    chart = page.locator(".drawing").first

    expect(chart.locator("svg text", has_text="<img src=x onerr").first).to_be_visible()
    box = chart.bounding_box()
    assert box
    tooltip = chart.locator("svg text", has_text="10 ms")
    for part in range(3, 18):
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * part / 20)
    expect(tooltip.first).to_be_visible()
    assert page.evaluate(ELEMENTS) == [None, 0, 0, 0, False]
    assert seen == []


def test_what_is_endless_is_cut(
    site: str,
    watched: tuple[Page, list[str]],
    wait_until_filled: Callable[[Page], None],
) -> None:
    """10 kB of a name neither fill a page nor push it off the screen."""
    page, _ = watched
    page.goto(f"{site}/agents")
    wait_until_filled(page)

    longest = page.evaluate(
        "Math.max(...document.body.innerText.match(/n+…?/g).map(s => s.length))"
    )
    assert longest == 80
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_a_link_to_a_hostile_name_leads_to_it(site: str, watched: tuple[Page, list[str]]) -> None:
    """Whatever is in it arrives as it was."""
    page, seen = watched
    page.goto(f"{site}/agents")
    region = page.get_by_role("region", name="All agents")

    region.locator("th").get_by_role("link", name=HOSTILE[0], exact=True).click()
    expect(page.get_by_label("Agent", exact=True)).to_have_value(HOSTILE[0])
    expect(page.get_by_role("region", name="All agents").locator("tbody tr")).to_have_count(1)
    page.goto(f"{site}/teams/{'..%2F' * 3}etc%2Fpasswd%3Fx=1%23y")
    expect(page.locator("h1")).to_have_text("../../../etc/passwd?x=1#y")
    expect(page.get_by_role("region", name="Runs").locator("tbody tr")).to_have_count(1)
    assert seen == []
