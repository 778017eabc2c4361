"""Is the server there, can it work, and what has it done: for load balancers and Prometheus."""

from importlib.metadata import version

from fastapi import APIRouter, Request
from starlette.responses import Response

from minerva_observability.metrics.prometheus_page import ALL, PrometheusPage
from minerva_platform.errors import StateError
from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.server.access import Admin
from minerva_platform.server.problems import ProblemError
from minerva_platform.server.routes.assistants import ItsService
from minerva_platform.storage.ledger.schema import LOCAL
from minerva_platform.storage.server.tenant_rows import count_open

router = APIRouter(tags=["health"])


@router.get("/ok")
@router.get("/health")
async def get_ok() -> dict[str, bool]:
    """Say that the server is there."""
    return {"ok": True}


@router.get("/info")
async def get_info() -> dict[str, str | dict[str, bool]]:
    """Return the version, and which parts of LangGraph's protocol are served."""
    flags = {"assistants": True, "crons": False, "store": False, "strict_resume": True}
    return {"version": version("minerva-platform"), "flags": flags}


@router.get("/ready")
async def get_ready(service: ItsService) -> dict[str, bool]:
    """Say that the server takes runs: its database answers, and it is not about to end."""
    if service.is_draining:
        raise ProblemError(503, "draining", "This server is about to end.")
    try:
        await service.engine.aread(count_open, empty=0, seconds=2.0)
    except StateError as error:
        detail = "The database cannot be used now."
        raise ProblemError(503, "state_unavailable", detail) from error
    return {"ready": True}


@router.get("/metrics", response_class=Response)
async def get_metrics(request: Request, caller: Admin) -> Response:
    """Return the metrics of the tenant's runs in this home, for Prometheus; `local` has all."""
    page: PrometheusPage = request.app.state.metrics
    accept = request.headers.get("accept", "")
    text, kind = await in_daemon_thread(
        page.text, accept, ALL if caller.tenant == LOCAL else caller.tenant
    )
    return Response(text, media_type=kind)
