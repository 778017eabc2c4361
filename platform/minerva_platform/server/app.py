"""The server's application: its routes behind its border, and nothing that is not served."""

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any, Final

from fastapi import APIRouter, FastAPI

from minerva_observability.http_access import LOOPBACK
from minerva_observability.metrics.prometheus_page import PrometheusPage
from minerva_platform.server.middleware import Border, Limits, OtherSites
from minerva_platform.server.problems import MEDIA_TYPE, ProblemError, add_problems
from minerva_platform.server.response_models import Problem
from minerva_platform.server.routes import approvals, assistants, files, health, runs, threads
from minerva_platform.server.service import Service
from minerva_platform.storage.server.tenant_rows import tenants_of

_DESCRIPTION: Final = """\
Runs of MINERVA's teams, over the protocol of LangGraph's clients (`langgraph-sdk`, `RemoteGraph`).
Beside it: questions to people (`/approvals`), the tree of members (`/agents`), files, and metrics.
"""
_MIB: Final = 1024 * 1024
_CROSSING: Final[dict[str, Any]] = {
    "allow_methods": ("GET", "POST", "PATCH", "DELETE"),
    "allow_headers": ("Authorization", "Idempotency-Key", "Last-Event-ID", "X-Api-Key"),
    "expose_headers": ("Content-Location", "Location", "Retry-After", "WWW-Authenticate"),
}
"""What pages of other sites may send and read, beside what every page may."""
NOT_SERVED: Final = {
    "/store": "MINERVA keeps threads and hand-offs, and no store beside them",
    "/runs/crons": "start runs by a scheduler of your own, such as cron or systemd",
    "/runs/batch": "start runs one by one",
    "/runs/cancel": "cancel runs one by one",
    "/threads/prune": "`minerva prune` says what goes",
    "/threads/{thread_id}/copy": "a thread is one conversation",
    "/threads/{thread_id}/stream": "stream a run of the thread",
    "/assistants/{assistant_id}/versions": "teams are versioned by their distributions",
    "/assistants/{assistant_id}/latest": "teams are versioned by their distributions",
}
"""Addresses of LangGraph's protocol that are not served, and what to do instead."""


def build_app(service: Service) -> FastAPI:
    """Return the application over an open service."""
    problems: dict[int | str, dict[str, Any]] = {
        code: {"model": Problem, "content": {MEDIA_TYPE: {}}}
        for code in (400, 401, 403, 404, 409, 413, 422, 429, 503)
    }
    app = FastAPI(
        title="MINERVA",
        description=_DESCRIPTION,
        responses=problems,
        docs_url=None,  # their scripts come from other hosts
        redoc_url=None,
    )
    app.state.service = service
    app.state.metrics = PrometheusPage(service.app.home, partial(_tenants_of, service))
    add_problems(app)
    for part in (health, assistants, threads, runs, approvals, files):
        app.include_router(part.router)
    app.include_router(_not_served())
    limits = Limits(
        hosts=() if service.access.needs_token else LOOPBACK,
        requests_per_second=service.settings.requests_per_second,
        max_upload_bytes=service.settings.max_upload_mib * _MIB,
        origins=service.settings.cors_origins,
    )
    app.add_middleware(Border, limits=limits, access=service.access)
    app.add_middleware(OtherSites, allow_origins=limits.origins, **_CROSSING)
    return app


def _tenants_of(service: Service, run_ids: Collection[str]) -> Mapping[str, str]:
    """Return the tenants of runs that are kept, for the metrics of each."""
    return service.engine.read(partial(tenants_of, run_ids=run_ids), empty=dict[str, str]())


def _not_served() -> APIRouter:
    """Return routes that say what is not served, and what to do instead."""
    router = APIRouter(include_in_schema=False)
    for path, instead in NOT_SERVED.items():
        for address in (path, f"{path}/{{rest:path}}"):
            router.add_api_route(address, _refusing(path, instead), methods=_ALL)
    return router


_ALL: Final = ["GET", "POST", "PUT", "PATCH", "DELETE"]


def _refusing(path: str, instead: str) -> Any:
    async def refuse() -> None:
        raise ProblemError(501, "not_served", f"{path} is not served: {instead}.")

    return refuse
