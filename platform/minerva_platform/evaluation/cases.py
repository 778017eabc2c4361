"""Read requests with the teams, workers and facts that are expected of them.

A file is YAML (a list) or JSON Lines (`.jsonl`, `.ndjson`: an object a line). An entry has a text
and the exact set of teams; the rest may be left out:

    - id: names-01
      text: "what is the standard abbreviation of patient name?"
      teams: [data]                 # [] means that no team serves it
      worker: retrieval_agent       # or a list; no other worker of these teams is asked for
      kind: single                  # single, compound or out_of_scope; read from `teams`
      language: en                  # ko, en or any other word to count by; read from the text
      facts: [PT_NM]               # each is in the answer; judged only when requests are run
      attachments: [schema.sql]     # paths from the file's folder
"""

import difflib
import json
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from minerva_platform.config.limits import Section
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.errors import SettingsError, YamlError
from minerva_platform.run_context.failures.source_location import package_of
from minerva_platform.text.example_file import FOLDER
from minerva_platform.text.language_detection import language_of
from minerva_platform.text.yaml_file import Location, YamlFile, read_yaml

TEAM_FILE: Final = "eval.yaml"
"""A team's own file, beside the examples of its workers."""
KINDS: Final = ("out_of_scope", "single", "compound")
"""The kind of a request, by the number of its teams: none, one, several."""
MAX_TEXT: Final = 100_000
"""Characters of a request."""
_JSON_LINES: Final = frozenset({".jsonl", ".ndjson"})


def _check_encodable(text: str) -> str:
    if not text.strip():
        message = "it is empty"
        raise ValueError(message)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        message = f"its character {error.start + 1} is no UTF-8"
        raise ValueError(message) from error
    return text


_Words = Annotated[str, AfterValidator(_check_encodable)]


class _Entry(Section):
    """An entry as it is written."""

    id: _Words | None = None
    text: Annotated[_Words, Field(max_length=MAX_TEXT)]
    teams: tuple[_Words, ...]
    worker: _Words | tuple[_Words, ...] = ()
    kind: _Words | None = None
    language: _Words | None = None
    facts: tuple[_Words, ...] = ()
    attachments: tuple[_Words, ...] = ()


class Case(BaseModel):
    """A request and what is expected of it."""

    model_config = ConfigDict(frozen=True)

    id: str
    where: str
    """`eval.yaml:12`, with the path as it was given."""
    text: str
    teams: frozenset[str]
    workers: tuple[str, ...] = ()
    """Names, or `team/name` where two teams have a worker of one name. Empty if any will do."""
    kind: str
    language: str
    facts: tuple[str, ...] = ()
    attachments: tuple[Path, ...] = ()


def read_cases(path: Path) -> tuple[Case, ...]:
    """Return the requests of a file, in its order.

    Raises:
        SettingsError: the file cannot be read, is empty, or an entry is wrong. It names the line.
    """
    is_lines = path.suffix.lower() in _JSON_LINES
    entries = list(_json_lines(path) if is_lines else _yaml_items(path))
    if not entries:
        message = f"{path} holds no requests. Write one: - {{text: …, teams: [data]}}"
        raise SettingsError(message)
    found: dict[str, Case] = {}
    for number, entry in enumerate(entries, start=1):
        case = _case(entry, number)
        if case.id in found:
            message = (
                f"{case.where}: the id `{case.id}` is there twice; first {found[case.id].where}."
            )
            raise SettingsError(message)
        found[case.id] = case
    return tuple(found.values())


def check_names(cases: Iterable[Case], team: AssembledTeam) -> None:
    """Refuse a team or worker that `team` does not have. It may be a team that is asked alone.

    Raises:
        SettingsError: names each one with its line.
    """
    members = {agent.name for agent in team.agents} if team.leads_teams else {team.name}
    workers = set(_worker_paths(team, "" if team.leads_teams else team.name))
    names = workers | {path.rpartition("/")[2] for path in workers}
    faults = [
        f"{case.where}: no {kind} `{name}` is here; {_hint(name, known)}"
        for case in cases
        for kind, given, known in (("team", case.teams, members), ("worker", case.workers, names))
        for name in given
        if name not in known
    ]
    if faults:
        raise SettingsError("\n".join(faults))


def team_file(team: AssembledTeam) -> Path | None:
    """Return the team's own file of expectations, if it brings one that lies in a folder."""
    try:
        found = files(package_of(team.declaration)) / FOLDER / TEAM_FILE
    except (ModuleNotFoundError, TypeError, ValueError):  # made in a script, or no package
        return None
    return found if isinstance(found, Path) and found.is_file() else None


def _yaml_items(path: Path) -> Iterator[YamlFile]:
    """Yield each entry as a file of its own, whose lines are those of the whole one."""
    whole = read_yaml(path)
    if whole.data is None:
        return
    is_list = isinstance(whole.data, list)
    if not is_list:
        reason = "not a list of requests; begin each one with `- text: …`."
        raise YamlError(path, 1, reason)
    items = cast("list[Any]", whole.data)
    lines: list[dict[Location, int]] = [{} for _ in items]
    for place, line in whole.lines.items():
        if place:
            lines[int(place[0])][place[1:]] = line
    yield from (YamlFile(path, item, its) for item, its in zip(items, lines, strict=True))


def _json_lines(path: Path) -> Iterator[YamlFile]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise YamlError(path, 1, f"cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise YamlError(path, 1, "not UTF-8; save the file as UTF-8.") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield YamlFile(path, _json_object(path, number, line), {(): number})


def _json_object(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        reason = f"not JSON: {error.msg} (character {error.pos + 1})."
        raise YamlError(path, number, reason) from error
    except RecursionError as error:
        raise YamlError(path, number, "nested too deeply.") from error


def _case(item: YamlFile, number: int) -> Case:
    if not isinstance(item.data, dict):
        reason = "not a request; write `text: …` and `teams: […]`."
        raise YamlError(item.path, item.line_of(()), reason)
    entry = item.as_model(_Entry)
    named = (entry.worker,) if isinstance(entry.worker, str) else entry.worker
    return Case(
        id=entry.id or f"#{number}",
        where=f"{item.path}:{item.line_of(())}",
        text=entry.text,
        teams=frozenset(entry.teams),
        workers=named,
        kind=entry.kind or KINDS[min(len(set(entry.teams)), len(KINDS) - 1)],
        language=entry.language or language_of(entry.text),
        facts=entry.facts,
        attachments=tuple(_attachment_paths(item, entry.attachments)),
    )


def _attachment_paths(item: YamlFile, names: Sequence[str]) -> Iterator[Path]:
    for index, name in enumerate(names):
        path = item.path.parent / name
        if "\0" in name or not path.exists():
            line = item.line_of(("attachments", index))
            reason = f"`attachments`: {path} is not there; paths begin at the file's folder."
            raise YamlError(item.path, line, reason)
        yield path


def _worker_paths(team: AssembledTeam, path: str) -> Iterator[str]:
    for agent in team.agents:
        inner = f"{path}/{agent.name}".removeprefix("/")
        if isinstance(agent, AssembledTeam):
            yield from _worker_paths(agent, inner)
        else:
            yield inner


def _hint(name: str, names: set[str]) -> str:
    near = difflib.get_close_matches(name, sorted(names), n=1)
    return f"did you mean `{near[0]}`?" if near else f"there are {', '.join(sorted(names))}."
