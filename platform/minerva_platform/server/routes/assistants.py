"""The platform and its teams, as assistants of LangGraph's protocol, and as a tree of members."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from pydantic import TypeAdapter

from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.langgraph import GraphOutput
from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.server.access import Caller, Reader
from minerva_platform.server.request_models import AssistantSearch, RequestInput
from minerva_platform.server.response_models import (
    AssistantAnswer,
    GraphSchemas,
    MemberAnswer,
    assistant_id_of,
    time_text,
)
from minerva_platform.server.service import Service

router = APIRouter(tags=["assistants"])
_OUTPUT = TypeAdapter(GraphOutput)


async def _service_of(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


ItsService = Annotated[Service, Depends(_service_of)]
"""The service behind the routes."""


@router.post("/assistants/search")
async def search_assistants(
    body: AssistantSearch, service: ItsService, caller: Reader
) -> list[AssistantAnswer]:
    """Return what can be asked."""
    names = [name for name in service.roots.names if caller.may_ask(name)]
    found = [_assistant(service, name) for name in names]
    wanted = {name for name in (body.graph_id, body.name) if name is not None}
    if wanted:
        found = [each for each in found if each.graph_id in wanted]
    if body.metadata:  # assistants have none
        found = []
    return found[body.offset : body.offset + body.limit]


@router.post("/assistants/count")
async def count_assistants(body: AssistantSearch, service: ItsService, caller: Reader) -> int:
    """Return how many can be asked."""
    everything = body.model_copy(update={"limit": 1000, "offset": 0})
    return len(await search_assistants(everything, service, caller))


@router.get("/assistants/{assistant_id}")
async def get_assistant(assistant_id: str, service: ItsService, caller: Reader) -> AssistantAnswer:
    """Return the platform or a team, by its name or its id."""
    return _assistant(service, service.root_of(assistant_id, caller))


@router.get("/assistants/{assistant_id}/graph")
async def get_graph(
    assistant_id: str,
    service: ItsService,
    caller: Reader,
    *,
    xray: Annotated[bool | int, Query()] = False,
) -> dict[str, Any]:
    """Return the graph of the platform or a team, as LangGraph draws it."""
    team = await _team(assistant_id, service, caller)
    drawn = await in_daemon_thread(lambda: team.graph.get_graph(xray=xray).to_json())
    return {str(key): value for key, value in drawn.items()}


@router.get("/assistants/{assistant_id}/schemas")
async def get_schemas(assistant_id: str, service: ItsService, caller: Reader) -> GraphSchemas:
    """Return JSON Schemas of what the platform or a team takes and gives."""
    return _schemas(service.root_of(assistant_id, caller))


@router.get("/assistants/{assistant_id}/subgraphs")
@router.get("/assistants/{assistant_id}/subgraphs/{namespace}")
async def get_subgraphs(
    assistant_id: str, service: ItsService, caller: Reader, namespace: str | None = None
) -> dict[str, GraphSchemas]:
    """Return the schemas of the teams below the platform; each is asked as the platform is."""
    team = await _team(assistant_id, service, caller)
    names = [inner.name for inner in team.inner_teams]
    return {name: _schemas(name) for name in names if namespace in {None, name}}


@router.get("/agents", tags=["agents"])
async def get_agents(service: ItsService, caller: Reader) -> list[MemberAnswer]:
    """Return the tree of teams and workers that the caller may ask."""
    team = service.app.team
    if caller.may_ask(team.name):
        return [_member(team)]
    return [_member(member) for name, member in team.by_name.items() if caller.may_ask(name)]


async def _team(assistant_id: str, service: Service, caller: Caller) -> AssembledTeam:
    name = service.root_of(assistant_id, caller)
    return await in_daemon_thread(service.roots.team_of, name)


def _assistant(service: Service, name: str) -> AssistantAnswer:
    began = time_text(service.began)
    return AssistantAnswer(
        assistant_id=assistant_id_of(name),
        graph_id=name,
        name=name,
        description=service.roots.describe(name).description,
        created_at=began,
        updated_at=began,
    )


def _schemas(name: str) -> GraphSchemas:
    output = _OUTPUT.json_schema()
    return GraphSchemas(
        graph_id=name,
        input_schema=RequestInput.model_json_schema(),
        output_schema=output,
        state_schema=output,
        config_schema={},
        context_schema={},
    )


def _member(member: BaseAgent[Any, Any]) -> MemberAnswer:
    parts = member.by_name.values() if isinstance(member, AssembledTeam) else ()
    return MemberAnswer(
        name=member.name,
        kind="team" if isinstance(member, AssembledTeam) else "worker",
        description=member.description,
        members=[_member(part) for part in parts],
    )
