"""How a team is led by tools: the options of the routers `tools` and `dispatch`.

router = Tools(max_rounds=6)                  # in a team's class
router: {tools: {max_rounds: 6}}              # in configs/teams/<name>.yaml
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from minerva_platform.text.yaml_file import UNKNOWN_KEY

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

_READERS: Final[dict[str, TypeAdapter[Any]]] = {
    "tools": TypeAdapter(dict[str, Tools]),
    "dispatch": TypeAdapter(dict[str, Dispatch]),
}
"""They say in which router an option is wrong."""


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
    ((name, options),) = value.items()
    _refuse_unknown([name], TOOL_SPECS)
    if isinstance(options, Mapping):
        given = cast("Mapping[str, Any]", options)
        _refuse_unknown(given, TOOL_SPECS[name].model_fields, name)
    read: dict[str, ToolSpec] = _READERS[name].validate_python(
        {name: {} if options is None else options}
    )
    return read[name]


def _refuse_unknown(given: Iterable[str], known: Collection[str], *location: str) -> None:
    """Refuse the keys of `given` at `location` that are not in `known`.

    Raises:
        ValidationError: there are some.
    """
    kind = PydanticCustomError(UNKNOWN_KEY, "unknown key", {"known": list(known)})
    unknown = [
        InitErrorDetails(type=kind, loc=(*location, key), input=key)
        for key in given
        if key not in known
    ]
    if unknown:
        raise ValidationError.from_exception_data(Tools.__name__, unknown)
