"""A platform whose scripted model names the members that a test says, at every level.

A model that is asked for parts gives each member all words.
"""

import asyncio
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from minerva_platform import Run, Task
from minerva_platform.assembly.platform_tree import build_platform
from minerva_platform.config.router_spec import RouterName
from minerva_platform.config.settings import Settings
from minerva_platform.durable.active_run import run_team
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import ModelCall, Reply, scripted_openai_server

Members = Mapping[str, Sequence[str]]
"""The members that the model names at each level, in its order."""

WORKERS: Members = {
    "data": ("retrieval_agent", "post_processor_agent", "auditor_agent"),
    "insilico": ("code_search_agent",),
    "governance": ("policy_agent", "compliance_agent"),
}
"""Workers of each team that can serve a request around a list of names."""


class NamedMembers:
    """The platform of the installed teams, and its model's script."""

    def __init__(self) -> None:
        self.members: Members = {}
        self.calls: dict[str, int] = {}
        self.runner = asyncio.Runner()

    def prepare(self, folder: Path, router: RouterName, url: str) -> None:
        """Build the platform with one router at all levels. One by examples has no model."""
        model = f"model: {{name: 'openai:scripted', base_url: '{url}'}}\n"
        text = f"router: {router}\n{'' if router == 'embedded' else model}"
        (folder / "platform.yaml").write_text(text, "utf-8")
        self.platform = build_platform(Settings(folder))
        self.platform.prepare()

    def answer(self, call: ModelCall) -> Reply:
        """Return the next member, or all; to a worker's own question an empty answer."""
        owner, _, direction = call.schema_name.rpartition("_")
        if owner not in self.members:
            return Reply(json={})
        names, at = self.members[owner], self.calls.get(owner, 0)
        self.calls[owner] = at + 1
        words = call.prompt.partition("Request: ")[2].partition("\n\nMembers:")[0]
        if direction == "plan":
            return Reply(json={"goals": [{"member": name, "request": words} for name in names]})
        return Reply(json={"next": [*names, "FINISH"][min(at, len(names))], "request": words})

    def ask(self, request: str, members: Members) -> Run:
        """Run a request; the model names `members`."""
        self.members, self.calls = members, {}
        return self.runner.run(run_team(self.platform, Task(request=request), RunOptions()))


@contextmanager
def named_members(folder: Path, router: RouterName) -> Generator[NamedMembers]:
    """Start the model and build the platform with a router, its configuration in `folder`."""
    named = NamedMembers()
    with scripted_openai_server(named.answer) as server, named.runner:
        named.prepare(folder, router, server.url)
        yield named


def teams_of(run: Run) -> set[str]:
    """Return the teams that a run has called."""
    return {hop.path.split("/")[1].partition("#")[0] for hop in run.hops}


def repeated_rows(answer: str) -> list[str]:
    """Return the rows of an answer's tables, their heads included, that it has twice."""
    rows = [line for line in answer.splitlines() if line.startswith("| ")]
    rows = [row for row in rows if not row.startswith("| ---")]
    return [row for at, row in enumerate(rows) if row in rows[:at]]
