"""Tools by which the model of an agent passes control to the agent's peers in a `Network`."""

from collections.abc import Mapping
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from minerva_platform.contract.transfer import TRANSFER


class _Words(BaseModel):
    """What a model says to the tool."""

    request: str = Field(
        min_length=1,
        max_length=4_000,
        description="What it shall do, in words that stand alone. It sees nothing else.",
    )


def transfer_tools(*peers: str, about: Mapping[str, str] | None = None) -> list[BaseTool]:
    """Return a tool `transfer_to_<peer>` for each peer; `about` says what each peer is for.

        create_agent(model, tools=[look_up, *transfer_tools("legal_agent")])

    Control passes when the agent has ended: at once if its answer only transfers, else after the
    other tools of that answer, and what the model says to their results.
    """
    said = about or {}
    return [_tool(peer, said.get(peer, "")) for peer in peers]


def _tool(peer: str, about: str) -> BaseTool:
    def transfer(request: str) -> tuple[str, dict[str, Any]]:
        return f"`{peer}` goes on when you end.", {TRANSFER: {"to": peer, "request": request}}

    return StructuredTool.from_function(
        transfer,
        name=f"transfer_to_{peer}",
        description=f"Let `{peer}` go on with the request. {about}".strip(),
        args_schema=_Words,
        response_format="content_and_artifact",
        return_direct=True,
    )
