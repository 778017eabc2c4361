"""Put the dashboard into a server: one of its own, or a larger one that has other pages.

NiceGUI keeps its pages in the process, so a process can have one dashboard.
"""

from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from markupsafe import Markup
from nicegui import ui
from starlette.staticfiles import StaticFiles

from minerva_observability.dashboard.pages.agents import AgentsPage
from minerva_observability.dashboard.pages.calls import CallsPage
from minerva_observability.dashboard.pages.failures import FailuresPage
from minerva_observability.dashboard.pages.frame import VERSION, MissingPage
from minerva_observability.dashboard.pages.overview import OverviewPage
from minerva_observability.dashboard.pages.page import Page
from minerva_observability.dashboard.pages.routing import RoutingPage
from minerva_observability.dashboard.pages.run import OneRunPage
from minerva_observability.dashboard.pages.runs import RunsPage
from minerva_observability.dashboard.pages.team import TeamPage
from minerva_observability.dashboard.server.address import View
from minerva_observability.dashboard.server.guard import TOKEN_LENGTH, Guard
from minerva_observability.dashboard.server.page_session import PageSession
from minerva_observability.dashboard.server.shared_metrics import SharedMetrics
from minerva_observability.dashboard.server.site import Site
from minerva_observability.dashboard.widgets.text import visible
from minerva_observability.http_access import LOOPBACK
from minerva_observability.metrics.prometheus_page import PrometheusPage
from minerva_observability.records.segments import Source

STATIC: Final = Path(__file__).parents[1] / "static"
PAGES: Final = (OverviewPage, AgentsPage, CallsPage, RoutingPage, FailuresPage, RunsPage)

_present: list[str] = []
"""The prefix of this process's dashboard, once there is one."""


class DashboardError(Exception):
    """The dashboard cannot start as asked. The message says what to do instead."""


def add_dashboard(
    app: FastAPI,
    source: Source,
    *,
    prefix: str = "/dashboard",
    hosts: Iterable[str] = LOOPBACK,
    token: str | None = None,
) -> None:
    """Add pages about the records of `source` to `app`, below the path `prefix`.

    `prefix`/metrics serves the metrics of all records that are written from now on to Prometheus.
    The dashboard answers requests for `hosts` only: the names that people type. Another site can
    then not reach it under a name of its own. With a `token`, it answers requests that have the
    token, for any host.

    Raises:
        DashboardError: the prefix or the token cannot be used, or the process has a dashboard.
    """
    prefix = prefix.rstrip("/")
    _check(prefix, token)
    _present.append(prefix)
    site = Site(prefix, str(source))
    feed = SharedMetrics(source)
    style = f"{prefix}/static/dashboard.css?{VERSION}"
    script = f"{prefix}/static/dashboard.js?{VERSION}"
    head = Markup('<script src="{}"></script><link rel="stylesheet" href="{}">')

    def open_page(page: Page[Any]) -> None:
        ui.add_head_html(head.format(script, style))
        ui.page_title(f"{visible(page.title)} · MINERVA")
        PageSession(page, feed)

    _add_pages(site, open_page)
    metrics = PrometheusPage(source)
    _add_metrics(app, f"{prefix}/metrics", metrics)
    app.mount(f"{prefix}/static", StaticFiles(directory=STATIC), name="minerva-dashboard-static")
    _close_with(app, feed, metrics)
    ui.run_with(
        app,
        mount_path=prefix or "/",
        title="MINERVA",
        favicon=(STATIC / "favicon.svg").read_text(encoding="utf-8"),
        dark=None,
        language="en-US",
        tailwind=False,
        show_welcome_message=False,
        message_history_length=100,
    )
    app.add_middleware(Guard, prefix=prefix, hosts=() if token else tuple(hosts), token=token)


def build_app(source: Source, *, token: str | None = None) -> FastAPI:
    """Return an ASGI app that serves the records of `source`, and nothing else.

    Raises:
        DashboardError: the token cannot be used, or the process has a dashboard.
    """
    app = FastAPI(title="MINERVA dashboard", docs_url=None, redoc_url=None, openapi_url=None)
    add_dashboard(app, source, prefix="", token=token)
    return app


def _check(prefix: str, token: str | None) -> None:
    if prefix and not prefix.startswith("/"):
        msg = f"The prefix `{prefix}` does not begin with `/`. Write `/{prefix}`."
        raise DashboardError(msg)
    if token is not None and len(token) < TOKEN_LENGTH:
        msg = (
            f"A token of {len(token)} characters could be guessed; {TOKEN_LENGTH} are the least. "
            'One that will do: python -c "import secrets; print(secrets.token_urlsafe())"'
        )
        raise DashboardError(msg)
    if _present:
        msg = f"This process has a dashboard already, at `{_present[0] or '/'}`. Start another one."
        raise DashboardError(msg)


def _add_pages(site: Site, open_page: Callable[[Page[Any]], None]) -> None:
    """Register a page for each address. The last one takes every address without a page."""
    for kind in PAGES:
        _add_page(f"/{kind.address_part}", kind, site, open_page)

    @ui.page("/runs/{run_id:path}")
    def show_run(request: Request, run_id: str) -> None:
        open_page(OneRunPage(site, View.from_query(request.query_params), run_id))

    @ui.page("/teams/{name:path}")
    def show_team(request: Request, name: str) -> None:
        open_page(TeamPage(site, View.from_query(request.query_params), name))

    @ui.page("/{path:path}")
    def show_missing(request: Request, path: str) -> None:
        del path
        ui.status_code(404)
        open_page(MissingPage(site, View.from_query(request.query_params)))


def _add_page(
    path: str,
    kind: Callable[[Site, View], Page[Any]],
    site: Site,
    open_page: Callable[[Page[Any]], None],
) -> None:
    @ui.page(path)
    def show(request: Request) -> None:
        open_page(kind(site, View.from_query(request.query_params)))


def _add_metrics(app: FastAPI, path: str, metrics: PrometheusPage) -> None:
    """Serve metrics to Prometheus, including those of commands that have ended."""

    def answer(request: Request) -> Response:
        text, kind = metrics.text(request.headers.get("accept", ""))
        return Response(text, media_type=kind)

    app.add_api_route(path, answer, include_in_schema=False)


def _close_with(app: FastAPI, feed: SharedMetrics, metrics: PrometheusPage) -> None:
    """Release the OS threads and files of both feeds when the server ends."""
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[Any]:
        async with inner(app) as state:
            yield state
        feed.close()
        metrics.close()

    app.router.lifespan_context = lifespan
