"""The request that three workers serve in turn is answered once, whichever router chooses."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from minerva_platform import Run, Task
from minerva_platform.assembly.platform_tree import build_platform
from minerva_platform.config.router_spec import RouterName
from minerva_platform.config.settings import Settings
from minerva_platform.durable.active_run import run_team
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import ModelCall, Reply, scripted_openai_server

Choices = Mapping[str, Sequence[str]]
"""The members that a model names at each level, in its order."""

SECTION = "환자 식별 컬럼의 표준 약어와 도메인을 알려주고, 답변 표는 도메인 우선순위로 정렬해줘"
IN_TURN = ("retrieval_agent", "post_processor_agent", "auditor_agent")
NEIGHBOURS = {
    "section": (SECTION, IN_TURN),
    "english": (
        "Tell me the standard abbreviation and domain of the patient identifier column, and sort "
        "the answer table by domain priority",
        IN_TURN,
    ),
    "audited": (
        "환자 식별 컬럼의 표준 약어와 도메인을 알려주고, 표를 도메인 우선순위로 정렬해서 감사해줘",
        IN_TURN,
    ),
    "no_lookup": (SECTION, ("post_processor_agent", "auditor_agent")),
    "no_audit": (SECTION, ("retrieval_agent", "post_processor_agent")),
}
pytestmark = [pytest.mark.slow]


async def ask(folder: Path, router: RouterName, request: str, choices: Choices) -> Run:
    """Run the three teams' platform, its models scripted."""
    asked: dict[str, int] = {}

    def script(call: ModelCall) -> Reply:
        owner, _, direction = call.schema_name.rpartition("_")
        at = asked[owner] = asked.get(owner, -1) + 1
        names = choices[owner]
        words = call.prompt.partition("Request: ")[2].partition("\n\nMembers:")[0]
        if direction == "plan":
            return Reply(json={"goals": [{"member": name, "request": words} for name in names]})
        return Reply(json={"next": [*names, "FINISH"][min(at, len(names))], "request": words})

    with scripted_openai_server(script) as server:
        (folder / "platform.yaml").write_text(
            f"model: {{name: 'openai:scripted', base_url: '{server.url}'}}\nrouter: {router}\n"
        )
        platform = build_platform(Settings(folder))
        platform.prepare()
        return await run_team(platform, Task(request=request), RunOptions())


@pytest.mark.parametrize("router", ["embedded", "cascade", "step", "plan"])
@pytest.mark.parametrize("name", NEIGHBOURS)
async def test_the_table_is_given_once(tmp_path: Path, router: RouterName, name: str) -> None:
    """By the data team alone."""
    request, order = NEIGHBOURS[name]
    run = await ask(tmp_path, router, request, {"platform": ["data"], "data": order})

    assert run.status == "ok"
    assert {hop.path.split("/")[1] for hop in run.hops} == {"data"}
    assert run.answer.count("PT_ID") == 1
    assert sum(line.startswith("| ---") for line in run.answer.splitlines()) == 1
