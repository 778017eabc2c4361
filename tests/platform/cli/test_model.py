"""The command with a model behind it: named by the environment, said in one line, never leaking."""

import json
import re
from typing import Any

import pytest

from minerva_platform.testing import Fault, ModelCall, Reply, scripted_openai_server

ARTICLE = "환자 식별 컬럼의 표준 약어와 도메인을 알려주고, 답변 표는 도메인 우선순위로 정렬해줘"
KEY = "sk-canary-0123456789abcdefghijklmn"
DATA = {"member": "data", "request": ARTICLE}
WORKERS = [
    {"member": "retrieval_agent", "request": "환자 식별 컬럼의 표준 약어와 도메인을 알려주고"},
    {"member": "post_processor_agent", "request": "답변 표는 도메인 우선순위로 정렬해줘"},
]


def planned(call: ModelCall) -> Reply:
    """Plan as a good model would."""
    return Reply(json={"goals": [DATA] if call.schema_name == "platform_plan" else WORKERS})


@pytest.fixture
def with_model(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return how to point the command at a scripted server."""

    def point(url: str) -> None:
        monkeypatch.setenv("MINERVA_MODEL", "openai:scripted")
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)

    return point


def test_a_plan_answers_the_same(invoke: Any, with_model: Any) -> None:
    """Two calls, one for each supervisor; the answer is the offline one."""
    offline = json.loads(invoke("ask", ARTICLE, "--json").stdout)
    with scripted_openai_server(planned) as server:
        with_model(server.url)
        done = invoke("ask", ARTICLE, "--router", "plan", "--json")

    run = json.loads(done.stdout)
    assert (run["status"], run["usage"]["model_calls"]) == ("ok", 2)
    assert len(server.calls) == 2
    assert run["answer"] == offline["answer"]
    assert [hop["path"] for hop in run["hops"]] == [hop["path"] for hop in offline["hops"]]
    assert "모델 호출 2번" in done.stderr
    assert server.calls[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_failing_model_costs_no_part_and_leaks_nothing(
    invoke: Any, with_model: Any, minerva_home: Any
) -> None:
    """The embedded router answers; neither the answer nor the records hold the key."""
    with scripted_openai_server(lambda _: Fault("unauthorized")) as server:
        with_model(server.url)
        done = invoke("ask", ARTICLE, "--router", "plan", "--json")

    run = json.loads(done.stdout)
    assert (done.exit_code, run["status"]) == (0, "ok")
    assert "PT_ID" in run["answer"]
    assert "401" not in run["answer"]
    assert "the API key is refused (401)" in run["bypassed"][0]["cause"]
    kept = (minerva_home / "runs.jsonl").read_text(encoding="utf-8")
    assert KEY not in done.stdout + done.stderr + kept
    rows = [json.loads(line) for line in kept.splitlines()]
    routes = [row for row in rows if row["kind"] == "route"]
    assert {row["router"] for row in routes} == {"embedded"}
    assert {row["action"] for row in routes} == {"substituted"}
    assert [row["status"] for row in rows if row["kind"] == "model"] == ["failed", "failed"]


def test_the_default_with_a_model_is_the_cascade(invoke: Any, with_model: Any) -> None:
    """What the examples are sure of asks nobody."""
    with scripted_openai_server([]) as server:
        with_model(server.url)
        run = json.loads(invoke("ask", "입원일자의 표준 영문 약어가 뭐야?", "--json").stdout)

    assert (run["status"], run["usage"]["model_calls"], len(server.calls)) == ("ok", 0, 0)


@pytest.mark.parametrize(
    ("environment", "arguments", "said"),
    [
        ({}, ["--router", "plan"], "needs a model: set MINERVA_MODEL"),
        ({}, ["--router", "rules"], "there are embedded, cascade, plan, step"),
        ({"MINERVA_MODEL": "gpt-5"}, [], "write provider:model, as openai:gpt-5-mini"),
        ({"MINERVA_MODEL": "openai:gpt-5-mini"}, [], "set OPENAI_API_KEY"),
        ({"MINERVA_MODEL": "azure_openai:x"}, [], "set AZURE_OPENAI_API_KEY"),
    ],
)
def test_what_is_missing_is_said_before_anything_runs(
    invoke: Any,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    arguments: list[str],
    said: str,
) -> None:
    """Exit 2, with what to set."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    done = invoke("ask", ARTICLE, *arguments)

    assert done.exit_code == 2
    assert said in done.stderr


def test_an_empty_variable_switches_models_off(
    invoke: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever platform.yaml says; the one line says that no model was asked."""
    monkeypatch.setenv("MINERVA_MODEL", "")

    done = invoke("ask", ARTICLE)

    assert done.exit_code == 0
    assert "모델 호출 없음" in done.stderr


def test_explain_shows_who_answered_instead(invoke: Any, with_model: Any) -> None:
    """And why; it runs nothing else."""
    with scripted_openai_server(lambda _: Fault("length")) as server:
        with_model(server.url)
        done = invoke("explain", ARTICLE, "--router", "plan")

    assert "instead" in done.stdout
    assert "its answer was cut (length)" in " ".join(done.stdout.split())


def test_the_file_names_models_by_team_and_worker(tmp_path: Any) -> None:
    """A team's own model goes before the platform's, a worker's before the team's."""
    from minerva_platform.assembly.platform_tree import build_platform  # noqa: PLC0415  # heavy
    from minerva_platform.config.settings import find_settings  # noqa: PLC0415  # heavy

    (tmp_path / "c" / "teams").mkdir(parents=True)
    local = "base_url: http://127.0.0.1:9/v1"
    (tmp_path / "c" / "platform.yaml").write_text(
        f"model: {{name: 'openai:a', {local}}}\nrouter: plan\n", encoding="utf-8"
    )
    (tmp_path / "c" / "teams" / "data.yaml").write_text(
        f"model: {{name: 'openai:b', {local}}}\nrouter: embedded\n"
        f"models: {{auditor_agent: {{name: 'openai:c', {local}}}}}\n",
        encoding="utf-8",
    )

    platform: Any = build_platform(find_settings(tmp_path / "c"))

    named = {
        agent.name: (
            agent.model.spec.model if agent.model else None,
            getattr(agent, "router_choice", None),
        )
        for team in platform.agents
        for agent in (team, *team.agents)
    }
    assert (platform.model.spec.model, platform.router_choice) == ("a", "plan")
    assert named["data"] == ("b", "embedded")
    assert named["retrieval_agent"] == ("b", None)
    assert named["auditor_agent"] == ("c", None)
    assert named["insilico"] == ("a", "plan")
    assert named["docstring_agent"] == ("a", None)


def test_the_platforms_rules_are_not_its_teams(invoke: Any, tmp_path: Any) -> None:
    """They name teams; a team below, or alone, goes on by its examples."""
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "platform.yaml").write_text(
        "router: rules\nrules:\n- {when: '약어|abbreviation', goals: [data]}\n", encoding="utf-8"
    )
    request = "입원일자의 표준 영문 약어가 뭐야?"

    whole = json.loads(invoke("ask", request, "--json", "--config", tmp_path / "c").stdout)
    alone = invoke("ask", request, "--team", "data", "--json", "--config", tmp_path / "c")
    wrong = tmp_path / "c" / "platform.yaml"
    wrong.write_text("router: rules\nrules: [{when: x, goals: [nobody]}]\n", encoding="utf-8")
    refused = invoke("ask", request, "--config", tmp_path / "c")

    assert [hop["path"] for hop in whole["hops"]] == ["platform/data/retrieval_agent"]
    assert [hop["path"] for hop in json.loads(alone.stdout)["hops"]] == ["data/retrieval_agent"]
    assert refused.exit_code == 2
    assert re.search(r"names `nobody`; its members are .*\bdata\b", refused.stderr)


@pytest.mark.small(4)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("platform", "data", "said"),
    [
        ("router: rules\nrules: [{when: x, goals: [nobody]}]", "", "names `nobody`"),
        ("router: rules\nrules: [{when: '(', goals: [data]}]", "", "a pattern that is none"),
        ("router: rules", "", "routes by rules and has none"),
        ("router: plan", "", "needs a model: set MINERVA_MODEL"),
        ("model: openai:gpt-5-mini", "", "set OPENAI_API_KEY"),
        ("", "router: step", "`data` routes by `step`, which needs a model"),
        ("", "models: {nobody: openai:x}", "`models` names `nobody`"),
    ],
)
def test_check_finds_what_a_run_would_stumble_over(
    invoke: Any, tmp_path: Any, platform: str, data: str, said: str
) -> None:
    """Models and routers, too; exit 2 with the way out."""
    (tmp_path / "c" / "teams").mkdir(parents=True)
    (tmp_path / "c" / "platform.yaml").write_text(platform, encoding="utf-8")
    (tmp_path / "c" / "teams" / "data.yaml").write_text(data, encoding="utf-8")

    done = invoke("check", "--config", tmp_path / "c")

    assert done.exit_code == 2
    assert said in done.stderr


def test_who_runs_teams_learns_where_a_failed_model_is_set(invoke: Any, with_model: Any) -> None:
    """Examples would not mend it; the answer says that the model failed, the hint where to look."""
    with scripted_openai_server(lambda _: Fault("unauthorized")) as server:
        with_model(server.url)
        asked = invoke("ask", "book a flight", "--router", "plan")
        shown = invoke("explain", "book a flight", "--router", "plan")

    assert asked.exit_code == 1
    assert "The model that chooses who serves this request failed" in asked.stdout
    assert "set by `MINERVA_MODEL`" in asked.stderr
    assert "`examples`" not in asked.stderr
    assert "(router_failed)" in shown.stdout
