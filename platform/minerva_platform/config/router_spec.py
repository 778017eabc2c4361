"""How a team is led by tools: the options of the routers `tools` and `dispatch`.

router = Tools(max_rounds=6)                  # in a team's class
router: {tools: {max_rounds: 6}}              # in configs/teams/<name>.yaml
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

RouterName = Literal["embedded", "cascade", "plan", "step", "tools", "dispatch", "rules"]
"""The routers: examples; examples, then a model; a model once; a model each time; a model with a
tool for each member, or with one for all; rules."""

ENUM_UP_TO: Final = 10
"""Members up to which `dispatch` names all of them in its tool, unless `roster` says otherwise."""

Roster = Literal["list", "enum", "search"]
"""How `dispatch` tells its model of the members: in a list; as a closed choice; by a search."""


class Tools(BaseModel):
    """Lead by a model that has one tool for each member."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_rounds: int = Field(default=6, ge=1, le=50, strict=True)
    """How often the model is asked in one visit. Then the visit ends with what is there."""
    max_at_once: int | None = Field(default=None, ge=1, strict=True)
    """Calls of the team at once. Further calls wait. None: the run's own limit."""
    think: bool = Field(default=True, strict=True)
    """True if the model has a tool for notes to itself."""

    @property
    def name(self) -> Literal["tools", "dispatch"]:
        """The name of the router."""
        return "tools"


class Dispatch(Tools):
    """Lead by a model that has one tool, `task(agent_name, description)`, for all members."""

    roster: Roster | None = None
    """None: `enum` up to ten members, beyond them `search`."""

    @property
    def name(self) -> Literal["tools", "dispatch"]:
        """The name of the router."""
        return "dispatch"

    def roster_of(self, members: int) -> Roster:
        """Return the roster for a team of so many members."""
        return self.roster or ("enum" if members <= ENUM_UP_TO else "search")


ToolSpec = Tools | Dispatch
"""The options of a router by tools."""

TOOL_SPECS: Final[dict[str, type[ToolSpec]]] = {"tools": Tools, "dispatch": Dispatch}
"""The routers by tools."""


class RouterOptions(BaseModel):
    """What a file says of a router by tools: `{tools: {…}}`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tools: Tools | None = None
    dispatch: Dispatch | None = None


def read_options(value: Mapping[str, Any]) -> ToolSpec:
    """Return what `{tools: {…}}` says.

    Raises:
        ValueError: there are several routers, or none.
        ValidationError: a router or an option is not known, or an option is not within its bounds.
    """
    if len(value) != 1:
        known = " or ".join(f"`{{{name}: {{…}}}}`" for name in TOOL_SPECS)
        message = f"a router with options is {known}"
        raise ValueError(message)
    read = RouterOptions.model_validate(value)
    return read.tools or read.dispatch or TOOL_SPECS[next(iter(value))]()
