"""Tools by which the model of an agent passes control to the agent's peers in a `Network`."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, BeforeValidator, Field

from minerva_platform.contract.transfer import TRANSFER
from minerva_platform.errors import ContractError

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,50}")
"""A member's name with which the tool's own is one that providers take."""


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


class _Words(BaseModel):
    """What a model says to the tool. Anything is taken: a refused call would end the agent."""

    request: Annotated[str, BeforeValidator(_as_text)] = Field(
        default="",
        description="What it shall do, in words that stand alone. It sees nothing else.",
    )


def transfer_tools(*peers: str, about: Mapping[str, str] | None = None) -> list[BaseTool]:
    """Return a tool `transfer_to_<peer>` for each peer; `about` says what each peer is for.

        create_agent(model, tools=[look_up, *transfer_tools("legal_agent")])

    Control passes when the agent has ended: at once if its answer only transfers, else after the
    other tools of that answer, and what the model says to their results.

    Raises:
        ContractError: a peer has no name that a tool can have, or is named twice; or `about` names
            another.
    """
    said = about or {}
    for peer in peers:
        if not _NAME.fullmatch(peer) or peers.count(peer) > 1:
            message = f"transfer_tools: {peer!r:.80} is no snake_case name, or is named twice."
            raise ContractError(message)
    if strangers := sorted(said.keys() - {*peers}):
        message = f"transfer_tools: `about` names {', '.join(strangers)}, which is no peer here."
        raise ContractError(message)
    return [_tool(peer, said.get(peer, "")) for peer in peers]


def _tool(peer: str, about: str) -> BaseTool:
    def transfer(request: str = "") -> tuple[str, dict[str, Any]]:
        return f"`{peer}` goes on when you end.", {TRANSFER: {"to": peer, "request": request}}

    return StructuredTool.from_function(
        transfer,
        name=f"transfer_to_{peer}",
        description=f"Let `{peer}` go on with the request. {about}".strip(),
        args_schema=_Words,
        response_format="content_and_artifact",
        return_direct=True,
    )
