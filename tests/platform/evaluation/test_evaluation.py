"""What becomes of a request is told alike by a plan and by a run, at every depth of the tree."""

from pathlib import Path

from minerva_platform import RunLimits, Team, agent
from minerva_platform.evaluation.cases import Case, read_cases
from minerva_platform.evaluation.figures import Share, Verdict, confusion, tally
from minerva_platform.evaluation.outcome import Outcome, foreseen, ran
from minerva_platform.langgraph import as_tool
from minerva_platform.testing import ScriptedRouter, StubAgent


def always(*names: str) -> ScriptedRouter:
    """Return a router that asks for `names` and is done."""
    return ScriptedRouter([*names, "FINISH"], repeat=True)


def case(*teams: str, worker: tuple[str, ...] = ()) -> Case:
    """Return a request for `teams`."""
    return Case(
        id="x", where="x:1", text="do it", teams=frozenset(teams), workers=worker,
        kind="single", language="en",
    )  # fmt: skip


async def test_a_plan_and_a_run_ask_for_the_same_workers() -> None:
    """Below nested teams, too; a team that a worker asks by itself is none of them."""
    inner = Team(name="inner", description="i", members=[StubAgent("low")], router=always("low"))

    tool = as_tool(inner)

    @agent(examples=["do it"])
    async def asks(request: str) -> str:
        """Asks a team of its own."""
        return str(await tool.ainvoke({"request": request}))

    nested = Team(name="nested", description="n", members=[asks], router=always("asks"))
    office = Team(name="office", description="o", members=[nested], router=always("nested"))
    root = Team(name="platform", description="p", members=[office], router=always("office"))
    wanted = case("office", worker=("nested/asks",))
    plan, run = (
        await foreseen(root.assembled, wanted),
        await ran(root.assembled, wanted, RunLimits()),
    )

    assert plan.teams == run.teams == frozenset({"office"})
    assert plan.workers == run.workers == frozenset({"office/nested/asks"})
    assert (plan.status, run.status) == (None, "ok")
    assert Verdict(wanted, run).is_right


def test_workers_are_judged_as_an_exact_set() -> None:
    """One too many is as wrong as one too few; two of one name are told apart by their team."""
    named = case("a", "b", worker=("a/find", "b/find"))
    both = frozenset({"a/find", "b/find"})
    judged = [
        Verdict(named, Outcome(teams=named.teams, workers=workers)).has_right_workers
        for workers in (both, both | {"a/sort"}, frozenset({"a/find"}), frozenset[str]())
    ]

    assert judged == [True, False, False, False]


def test_figures_over_nothing_are_no_figures() -> None:
    """A file without unserved requests has no share of refusals, and misses no minimum by it."""
    verdicts = [
        Verdict(case("a"), Outcome(teams=frozenset({"a"}))),
        Verdict(case("a", "b"), Outcome(teams=frozenset({"a", "c"}))),
    ]
    figures = tally(verdicts)

    assert (figures.refused, figures.refused.value) == (Share(0, 0), None)
    assert not figures.refused.is_below(1.0)
    assert (figures.exact, figures.recall, figures.kept) == (Share(1, 2), Share(2, 3), Share(2, 2))
    assert confusion(verdicts) == [(("a",), ("a",), 1), (("a", "b"), ("a", "c"), 1)]


def test_what_is_left_out_of_an_entry_is_read_from_the_rest(tmp_path: Path) -> None:
    """Kind and language, an id by its number, attachments from the file's folder."""
    (tmp_path / "a.sql").write_text("")
    file = tmp_path / "few.yaml"
    file.write_text(
        "- {text: 이름을 알려줘, teams: [b, a], attachments: [a.sql]}\n- {text: x, teams: []}\n"
    )
    first, second = read_cases(file)

    assert (first.id, first.kind, first.language) == ("#1", "compound", "ko")
    assert first.attachments == (tmp_path / "a.sql",)
    assert (second.id, second.kind, second.where) == ("#2", "out_of_scope", f"{file}:2")
