"""Files: given to runs by their digests, and taken from runs; never paths of the server."""

import time
from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.server.access import ItsThread, Reader, Runner
from minerva_platform.server.problems import ProblemError, not_found
from minerva_platform.server.request_models import Sha256
from minerva_platform.server.response_models import FileAnswer
from minerva_platform.server.routes.assistants import ItsService
from minerva_platform.storage.files.uploads import find_upload, keep_upload

router = APIRouter(tags=["files"])
ItsFile = Annotated[Sha256, Path()]
_BYTES: Final = "application/octet-stream"
_ANY: Final[dict[str, Any]] = {"schema": {"type": "string", "format": "binary"}}
_UPLOAD: Final = {"requestBody": {"required": True, "content": {_BYTES: _ANY}}}
_CONTENT: Final[dict[int | str, dict[str, Any]]] = {200: {"content": {_BYTES: _ANY}}}


@router.post("/files", openapi_extra=_UPLOAD)
async def upload(
    service: ItsService,
    request: Request,
    caller: Runner,
    name: Annotated[str, Query(min_length=1, max_length=255)],
) -> FileAnswer:
    """Keep the body as a file, which requests name by its digest. The same content is kept once."""
    data = await request.body()
    if not data:
        raise ProblemError(422, "invalid_request", "The body is empty; send the file's content.")
    store = service.app.artifacts.store(service.engine)
    keep = partial(keep_upload, service.engine, store, caller.sight, name, data)
    kept = await in_daemon_thread(partial(keep, now=time.time()))
    return FileAnswer(sha256=kept.sha256, name=kept.name, bytes=kept.bytes)


@router.get("/files/{sha256}")
async def get_file(
    sha256: ItsFile,
    service: ItsService,
    caller: Reader,
    name: Annotated[str | None, Query(max_length=255)] = None,
) -> FileAnswer:
    """Say what is known of a file that was uploaded."""
    look = partial(find_upload, sight=caller.sight, sha256=sha256, name=name)
    found = await service.engine.aread(look, empty=None)
    if found is None:
        raise not_found(sha256, what="file")
    return FileAnswer(sha256=found.sha256, name=found.name, bytes=found.bytes)


@router.get(
    "/threads/{thread_id}/runs/{run_id}/artifacts/{sha256}",
    response_class=Response,
    responses=_CONTENT,
)
async def get_artifact(
    thread_id: ItsThread,
    run_id: Annotated[str, Path(max_length=200)],
    sha256: ItsFile,
    service: ItsService,
    caller: Reader,
) -> Response:
    """Return the content of an artifact that a run made."""
    run = (await service.run(run_id, caller, thread_id)).to_run()
    if all(artifact.sha256 != sha256 for artifact in run.artifacts):
        raise not_found(sha256, what="artifact")
    store = service.app.artifacts.store(service.engine)
    data = await in_daemon_thread(store.read_bytes, sha256)
    headers = {"Content-Disposition": "attachment"}  # no browser may take it for a page of ours
    return Response(data, media_type=_BYTES, headers=headers)
