"""What becomes of each value of `foreign_types`: the rows of platform/docs/types.md.

`python tests/support/type_table.py` writes the page's tables anew.
"""

import re
from io import IOBase
from pathlib import Path
from typing import Any

import orjson
from foreign_types import handoff_types, state_types
from pydantic import ConfigDict, create_model
from typing_extensions import TypedDict

from minerva_platform import AgentOutput, BaseAgent, Handoff
from minerva_platform.errors import ContractError, OutputError
from minerva_platform.runtime.border.exact_handoffs import read_handoff, write_handoff
from minerva_platform.storage.checkpoints.serializer import StrictSerializer
from minerva_platform.storage.checkpoints.state_classes import state_classes
from minerva_platform.validation.handoffs import crossing_problems

PAGE = Path(__file__).parents[2] / "platform" / "docs" / "types.md"
SAME, EQUAL = "the same", "equal; what was one object is two"


def state_schema(case: Any) -> Any:
    """Return the state of a worker whose author wrote it beside the classes of the case."""
    keys = {"request": str, "value": case.type or Any, "several": list[Any], "summary": str}
    schema: Any = TypedDict("State", keys)  # type: ignore[misc]  # made at run time
    schema.__module__ = state_types.__name__
    return schema


def handoff_model(case: Any) -> Any:
    """Return a hand-off with the field `value`, as the author of the case would write it."""
    config = ConfigDict(arbitrary_types_allowed=True)
    base = type("Base", (Handoff,), {"model_config": config, "__module__": handoff_types.__name__})
    made: Any = create_model(
        "Given", __base__=base, __module__=handoff_types.__name__, value=(case.type, ...)
    )
    setattr(made, "kind", "types.value")  # noqa: B010  # made at run time
    return made


def state_outcome(case: Any) -> str:
    """Return what a checkpoint makes of a state with the value."""
    serializer = StrictSerializer().with_msgpack_allowlist(state_classes([state_schema(case)]))
    value = case.make()
    if isinstance(value, IOBase):
        value.close()
    try:
        kept = serializer.dumps_typed({"value": value, "several": [value]})
    except ContractError as error:
        return f"refused at the step: `{vars(error)['kind']}`"
    found = serializer.loads_typed(kept)
    return _compared(case, value, found["value"], found["several"][0])


def handoff_outcome(case: Any) -> str:
    """Return what a border makes of a hand-off with the value."""
    model = handoff_model(case)
    output = create_model("GivenOutput", __base__=AgentOutput, given=(model, ...))
    giver: Any = type("Giver", (BaseAgent,), {"name": "giver", "Output": output})
    if list(crossing_problems(giver(), "giver")):
        return "refused by `minerva check`"
    given = model(value=case.make())
    try:
        text, exact = write_handoff(given, "giver")
    except OutputError as error:
        found = re.search(r"the type `(.*?)`", error.reason)
        return f"refused at the border: `{found[1] if found else error.reason}`"
    record: Any = {"path": "giver", "version": 1, "json": {} if exact else orjson.loads(text)}
    nowhere: Any = None
    taken: Any = read_handoff(model, record | ({"exact": exact} if exact else {}), nowhere)
    return _compared(case, given.value, taken.value)


def _compared(case: Any, value: Any, *found: Any) -> str:
    if all(case.same(value, each) for each in found):
        return SAME
    return EQUAL if all(each == value for each in found) else f"CHANGED: {found[0]!r}"


def rows(kind: str) -> dict[str, str]:
    """Return the outcome of each case of `kind`: `state` or `handoff`, by its name.

    A case whose library is not installed is left out.
    """
    of_states = kind == "state"
    cases: Any = state_types.CASES if of_states else handoff_types.CASES
    outcome = state_outcome if of_states else handoff_outcome
    found: dict[str, str] = {}
    for case in cases:
        try:
            found[case.name] = outcome(case)
        except ModuleNotFoundError:
            continue
    return found


def rows_of_page(kind: str) -> dict[str, str]:
    """Return the rows of one of the page's two tables."""
    table = PAGE.read_text(encoding="utf-8").split("\n## ")[{"state": 1, "handoff": 2}[kind]]
    return dict(re.findall(r"^\| `(\w+)` \| .*? \| (.*) \|$", table, re.MULTILINE))


def _table(kind: str) -> str:
    module = {"state": state_types, "handoff": handoff_types}[kind]
    found = rows(kind)
    lines = ["| value | declared as | comes back |", "| --- | --- | --- |"]
    for case in module.CASES:
        declared = re.sub(r"[\w.]+\.(?=\w)", "", str(case.type)) if case.type else "nothing"
        declared = getattr(case.type, "__name__", declared) if "[" not in declared else declared
        short = declared.replace("|", "\\|").replace("\n", " ")[:60]
        lines.append(f"| `{case.name}` | `{short}` | {found.get(case.name, '(not seen)')} |")
    return "\n".join(lines)


if __name__ == "__main__":
    head, *tables = PAGE.read_text(encoding="utf-8").split("\n## ")
    parts = [head]
    for kind, section in zip(("state", "handoff"), tables, strict=True):
        parts.append(f"{section.split('| value')[0].rstrip()}\n\n{_table(kind)}\n")
    PAGE.write_text("\n## ".join(parts), encoding="utf-8")
