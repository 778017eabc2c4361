"""`minerva check` finds everything that could never run right, all at once."""

from typing import Annotated, Any, ClassVar, TypedDict

import pytest
from langgraph.graph import START, StateGraph

from minerva_platform import AgentInput, AgentOutput, Attachment, BaseAgent, Handoff, Team
from minerva_platform.assembly.platform_tree import platform_over
from minerva_platform.config.settings import Settings
from minerva_platform.errors import CheckError
from minerva_platform.testing import ScriptedRouter, StubAgent
from minerva_platform.validation.team_declarations import check, example_warnings, find_problems


class Plan(Handoff):
    """As its producer writes it."""

    kind: ClassVar[str] = "checks.plan"
    number: int = 1


class Table(Handoff):
    """Another kind."""

    kind: ClassVar[str] = "checks.table"


class PlanAsText(Handoff):
    """As a consumer wrongly reads it."""

    kind: ClassVar[str] = "checks.plan"
    number: str
    unit: str


class Plans(AgentInput):
    """An Input that takes all plans."""

    plans: tuple[Plan, ...] = ()


def team(*members: Any, **declared: Any) -> Team:
    """Return a team called `t`."""
    return Team(name="t", description="Tests.", members=members, **declared)


def taking_many(name: str) -> StubAgent:
    """Return an agent that takes all plans."""
    stub = StubAgent(name)
    stub.Input = Plans
    return stub


def test_a_sound_tree_has_no_problems() -> None:
    """Also a team of teams, and a team alone."""
    inner = team(StubAgent("a", gives=[Plan()]), exports=(Plan,))
    root = Team(name="root", description="…", members=(inner, StubAgent("b", needs=[Plan])))

    assert find_problems(root.assembled) == []
    assert check(root.assembled) is root.assembled


def test_all_problems_are_told_at_once() -> None:
    """One round of mending is enough, at every depth of the tree."""
    silent = StubAgent("Silent-Agent")
    silent.description, silent.examples = " ", ()
    inner = Team(name="inner", description="…", members=(StubAgent("supervisor"),))
    root = team(
        silent,
        StubAgent("twin"),
        StubAgent("twin"),
        inner,
        audits={"checks.plan": "nobody"},
        exports=(Table,),
    )

    with pytest.raises(CheckError) as caught:
        check(root.assembled)

    assert caught.value.problems == (
        "`t` has 2 members called `twin`; names must differ.",
        "`t/Silent-Agent`: write the name in snake_case, such as `my_agent`.",
        "`t/Silent-Agent` has no description; say what it does and when to choose it.",
        "`t/Silent-Agent` gives no examples; the embedded router wants 10 requests that should "
        "reach it.",
        "`t/inner/supervisor`: the name `supervisor` is reserved; choose another.",
    )
    assert str(caught.value).startswith("5 problems in the declared teams:\n  - `t` has 2")


@pytest.mark.parametrize(
    "name", ["FINISH", "supervisor", "__end__", "__start__", "results", "task", "outcome"]
)
def test_reserved_names_are_refused(name: str) -> None:
    """Also those of the supervisor's channels: LangGraph would refuse the graph."""
    assert find_problems(team(StubAgent(name)).assembled) == [
        f"`t/{name}`: the name `{name}` is reserved; choose another."
    ]


@pytest.mark.parametrize("name", ["Agent", "my-agent", "my agent", "1st", "에이전트", ""])
def test_names_are_snake_case(name: str) -> None:
    """They stand in paths, spans and configuration files."""
    assert find_problems(team(StubAgent(name)).assembled) == [
        f"`t/{name}`: write the name in snake_case, such as `my_agent`."
    ]


def test_examples_are_needed_only_where_a_router_learns_from_them() -> None:
    """A scripted router reads none."""
    quiet = StubAgent("a")
    quiet.examples = ()

    assert find_problems(team(quiet, router=ScriptedRouter("a")).assembled) == []
    assert find_problems(team(quiet).assembled) == [
        "`t/a` gives no examples; the embedded router wants 10 requests that should reach it."
    ]


def test_few_examples_are_a_warning() -> None:
    """A worker with one can be asked; it is told where the examples are, and once."""
    quiet = StubAgent("a")
    quiet.examples = ("one",)
    root = Team(name="r", description="…", members=(team(quiet, StubAgent("b")),))

    assert find_problems(root.assembled) == []
    assert list(example_warnings(root.assembled)) == [
        "`r/t/a` gives 1 example; the embedded router wants 10 requests that should reach it."
    ]
    assert list(example_warnings(team(quiet, router=ScriptedRouter("a")).assembled)) == []


def test_a_need_that_nobody_serves_is_a_problem_of_the_root_alone() -> None:
    """A team alone gets it with its task."""
    needy = team(StubAgent("a", needs=[Plan]))
    expected = (
        "`a` needs the hand-off `checks.plan` (its input `checks_plan`), and no member in the tree "
        "gives it: add a producer, export it from its team, or make it optional."
    )

    assert find_problems(needy.assembled) == [expected]
    assert find_problems(needy.assembled, alone=True) == []
    hidden = Team(name="maker", description="…", members=(StubAgent("m", gives=[Plan()]),))
    assert find_problems(Team(name="r", description="…", members=(needy, hidden)).assembled) == [
        expected
    ]


def test_a_producer_and_a_consumer_that_do_not_fit_are_both_named() -> None:
    """With the fields, whichever teams they are in."""
    maker = Team(
        name="maker", description="…", members=(StubAgent("m", gives=[Plan()]),), exports=(Plan,)
    )
    reader = Team(name="reader", description="…", members=(StubAgent("r", wants=[PlanAsText]),))

    assert find_problems(Team(name="root", description="…", members=(maker, reader)).assembled) == [
        "`root`: `r` of `reader` cannot read the `checks.plan` of `m` of `maker`: `number` is "
        "integer, expected string.",
        "`root`: `r` of `reader` cannot read the `checks.plan` of `m` of `maker`: `unit` is "
        "missing.",
    ]


def test_versions_of_a_kind_must_be_the_same() -> None:
    """A version is a promise about meaning: the same fields of another version do not fit."""

    class LaterPlan(Plan):
        version: ClassVar[int] = 2

    alone = team(StubAgent("m", gives=[LaterPlan()]), StubAgent("r", needs=[Plan]))

    assert find_problems(alone.assembled) == [
        "`t`: `r` cannot read the `checks.plan` of `m`: version 2 is given, version 1 is read."
    ]


def test_circles_are_named_member_by_member() -> None:
    """Both kinds of waiting count: needs and wants."""
    root = team(
        StubAgent("a", needs=[Table], gives=[Plan()]),
        StubAgent("b", wants=[Plan], gives=[Table()]),
    )

    assert find_problems(root.assembled) == [
        "`t`: a -> b -> a wait for each other's hand-offs in a circle."
    ]


def test_a_kind_given_twice_in_a_stage_needs_consumers_that_take_all() -> None:
    """Else it would be chance which one is read."""
    makers = (StubAgent("a", gives=[Plan()]), StubAgent("b", gives=[Plan()]))
    problem = (
        "`t`: `a` and `b` may give `checks.plan` side by side, and it would be chance which is "
        "read; let its consumers take tuple[…, ...], or rename one."
    )

    assert find_problems(team(*makers, StubAgent("c", needs=[Plan])).assembled) == [problem]
    assert find_problems(team(*makers, taking_many("c")).assembled) == []
    assert (
        find_problems(team(*makers, StubAgent("c", needs=[Plan]), substitutes={"a": "b"}).assembled)
        == []
    )


def test_a_member_that_rewrites_a_kind_comes_after_its_maker() -> None:
    """Giving what one reads is no doubling, because the order is given."""
    root = team(StubAgent("a", gives=[Plan()]), StubAgent("b", needs=[Plan], gives=[Plan()]))

    assert find_problems(root.assembled) == []


def test_references_to_nobody_are_named() -> None:
    """In exports, audits, substitutes and presents."""
    boaster = StubAgent("a", gives=[Plan()])
    boaster.presents = ("checks.nothing",)
    root = team(
        boaster,
        exports=(Table,),
        audits={"checks.plan": "auditor", "checks.table": "a"},
        substitutes={"a": "b", "c": "a"},
    )

    assert find_problems(root.assembled) == [
        "`t` exports `checks.table`, which none of its members gives.",
        "`t/a` presents `checks.nothing`, which no member gives.",
        "`t`: the audit of `checks.plan` names `auditor`, which is no member.",
        "`t`: the audit `a` is for `checks.table`, which no member gives.",
        "`t`: the substitute a -> b names `b`, no member.",
        "`t`: the substitute c -> a names `c`, no member.",
    ]


def test_substitutes_do_not_go_in_a_circle() -> None:
    """Each circle is said once; a chain is fine."""
    members = (StubAgent("a"), StubAgent("b"), StubAgent("c"))

    assert find_problems(team(*members, substitutes={"a": "b", "b": "c"}).assembled) == []
    assert find_problems(team(*members, substitutes={"a": "b", "b": "a"}).assembled) == [
        "`t`: the substitutes a -> b -> a go in a circle."
    ]
    assert find_problems(team(*members, substitutes={"c": "c"}).assembled) == [
        "`t`: the substitutes c -> c go in a circle."
    ]


def test_inputs_that_nothing_fills_are_named() -> None:
    """An author learns it before the first request does."""

    class Given(AgentInput):
        limit: int

    stub = StubAgent("a")
    stub.Input = Given

    assert find_problems(team(stub).assembled) == [
        "`t/a`: no task can fill its input `limit`; give it a default, or make it an Attachment "
        "or a Handoff."
    ]


def test_declarations_that_cannot_be_read_are_problems_not_tracebacks() -> None:
    """A kind that is missing, a pattern that is missing, an Output without a summary."""

    class Nameless(Handoff):
        text: str

    class TakesNameless(AgentInput):
        it: Nameless

    class TakesAnything(AgentInput):
        file: Annotated[Attachment | None, "no pattern"] = None

    first, second, third = StubAgent("first"), StubAgent("second"), StubAgent("third")
    first.Input, second.Input = TakesNameless, TakesAnything
    third.Output = type("Bare", (Handoff,), {})

    problems = find_problems(
        Team(name="root", description="…", members=(team(first), second)).assembled
    )
    problems += find_problems(team(third).assembled)

    assert problems == [
        "`root/t/first`: `Nameless` has no `kind`; "
        'write in it: kind: ClassVar[str] = "tests.nameless"',
        "`root/second`: an Attachment field must say which files it takes: "
        'Annotated[Attachment, Attachment.of("*.sql")].',
        "`t/third`: its Output has no `summary`; derive it from AgentOutput.",
    ]


class _State(TypedDict, total=False):
    request: str


class NoGraph(BaseAgent[AgentInput, AgentOutput]):
    """An agent whose graph has no entry."""

    name = "no_graph"
    description = "…"
    examples = tuple("abcdefghij")

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return a graph that nobody can enter."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(_State)
        node: Any = dict  # takes the state, returns it
        builder.add_node("only", node)
        return builder


class Undeclared(NoGraph):
    """An agent that forgot to say what it is."""

    def __getattribute__(self, name: str) -> Any:
        """Behave as if two declarations were not there."""
        if name in {"name", "Output"}:
            raise AttributeError(name)
        return super().__getattribute__(name)


def test_a_graph_that_does_not_compile_is_a_problem() -> None:
    """LangGraph's own words follow the agent's path."""
    (problem,) = find_problems(team(NoGraph).assembled)

    assert problem.startswith("`t/no_graph`: its graph cannot be compiled: ")


def test_what_is_not_declared_at_all_is_named() -> None:
    """By the class, since there is no name, with the line to type."""
    assert (
        "`t/Undeclared` does not say its `name`, `Output`; write in `Undeclared`: "
        '`name = "undeclared"`, `Output = AgentOutput`.'
    ) in find_problems(team(Undeclared).assembled)


def test_a_class_that_cannot_be_made_is_a_problem() -> None:
    """Such as one whose constructor wants something."""

    class Wanting(BaseAgent[AgentInput, AgentOutput]):
        def __init__(self, book: str) -> None:
            self.book = book

    (problem,) = find_problems(Team(name="r", description="…", members=(team(Wanting),)).assembled)

    assert problem.startswith("`r/t`: a member of `t` cannot be made: ")
    assert "'book'" in problem


def test_a_worker_that_does_nothing_is_a_problem() -> None:
    """It writes neither `work` nor `build_graph`."""

    class Idle(BaseAgent[AgentInput, AgentOutput]):
        name, description = "idle", "Does nothing."

    problems = find_problems(Team(name="r", description="…", members=(Idle,)).assembled)

    assert "`idle` does nothing: write its `work`, or its `build_graph`." in problems[0]


def test_an_empty_team_is_a_problem() -> None:
    """It could serve nobody."""
    assert find_problems(team().assembled) == ["`t` has no members."]


def test_one_text_is_not_taken_letter_by_letter() -> None:
    """A forgotten comma makes a text of a tuple; for a team's own examples, too."""
    stub = StubAgent("a")
    stub.examples = "Sum the invoices"
    stub.declines = "Sum the invoices of somebody else, of last year"
    inner = team(StubAgent("b"))
    inner.examples = "Sum them"

    assert find_problems(team(stub).assembled) == [
        '`t/a`: its `examples` is one text; write a tuple: examples = ("Sum the invoices",).',
        "`t/a`: its `declines` is one text; write a tuple: declines = "
        '("Sum the invoices of somebody else, of la…",).',
    ]
    assert find_problems(Team(name="root", description="…", members=(inner,)).assembled) == [
        '`root/t`: its `examples` is one text; write a tuple: examples = ("Sum them",).'
    ]


def test_members_and_exports_without_a_comma_are_problems() -> None:
    """A class, an instance and a text stand where a tuple belongs."""
    for member, written in (
        (StubAgent, "StubAgent"),
        (StubAgent("a"), "StubAgent()"),
        ("a", "'a'"),
    ):
        wrong: Any = member
        assert find_problems(Team(name="finance", description="…", members=wrong).assembled) == [
            f"`finance`: the `members` of `finance` are `{written}` alone; write a tuple: "
            f"({written},)."
        ]
    exports: Any = Plan
    problems = find_problems(team(StubAgent("a", gives=[Plan()]), exports=exports).assembled)
    assert problems == ["`t`: `exports` is `Plan` alone; write a tuple: exports = (Plan,)."]


@pytest.mark.parametrize("wrong", [5, None, 1.5])
def test_members_that_are_no_tuple_are_a_problem(wrong: Any) -> None:
    """In the words of the declaration, not a TypeError from within."""
    declared = type("Finance", (Team,), {"members": wrong})

    assert find_problems(declared(name="finance", description="…").assembled) == [
        f"`finance`: the `members` of `finance` are {wrong!r}; write a tuple of agents."
    ]


def test_what_is_no_agent_and_no_hand_off_is_named() -> None:
    """Instead of an AttributeError somewhere below."""
    assert find_problems(team("invoice_agent").assembled) == [
        "`t`: a member of `t` is 'invoice_agent', which is no agent; name its class."
    ]
    exports: Any = ("finance.total",)
    assert find_problems(team(StubAgent("a"), exports=exports).assembled) == [
        "`t`: it exports 'finance.total', which is no Handoff; name the class."
    ]


def test_a_hand_off_without_a_kind_is_told_once_with_class_and_team() -> None:
    """Although its team exports it and its worker gives it; the platform is built all the same."""

    class InvoiceTotal(Handoff):
        number: int = 1

    class Gives(AgentOutput):
        total: InvoiceTotal

    stub = StubAgent("invoice_agent")
    stub.Output = Gives
    finance = Team(name="finance", description="…", members=(stub,), exports=(InvoiceTotal,))

    assert find_problems(platform_over([finance.assembled], Settings(None))) == [
        "`platform/finance`: `InvoiceTotal` has no `kind`; "
        'write in it: kind: ClassVar[str] = "tests.invoice_total"'
    ]


def test_what_only_follows_from_a_problem_is_not_one() -> None:
    """Neither a team's lack of its member's examples, nor what an empty or a wrong team exports."""
    quiet, empty, vain = StubAgent("quiet"), Team(name="empty", description="…"), StubAgent("vain")
    quiet.examples = ()
    empty.exports = (Table,)
    teams = (
        Team(name="few", description="…", members=(quiet,)),
        empty,
        Team(name="vainly", description="…", members=(vain,), exports=(Plan,)),
    )

    assert find_problems(platform_over([team.assembled for team in teams], Settings(None))) == [
        "`platform/few/quiet` gives no examples; the embedded router wants 10 requests that should "
        "reach it.",
        "`platform/empty` has no members.",
        "`platform/vainly` exports `checks.plan`, which none of its members gives.",
    ]


class Forgetful(BaseAgent[Any, Any]):
    """An agent whose state lacks what its Input and Output promise."""

    name = "forgetful"
    description = "…"
    examples = tuple("abcdefghij")

    class Input(AgentInput):
        """With a hand-off nobody can read."""

        plan: Plan

    class Output(AgentOutput):
        """With a field nobody can set."""

        total: int

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return a graph of one node."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(_State)
        node: Any = lambda _: {}  # noqa: E731  # a node, as people write it
        builder.add_node("only", node)
        builder.add_edge(START, "only")
        return builder


class Converting(Forgetful):
    """The same, which converts by itself."""

    def input_to_state(self, payload: Any) -> dict[str, Any]:
        """Return the keys there are."""
        return {"request": payload.request}

    def state_to_output(self, state: Any) -> Any:
        """Return what the Output wants."""
        return self.Output(summary=state["request"], total=1)


def test_fields_that_the_state_would_lose_are_named() -> None:
    """LangGraph drops them without a word; who converts by itself knows better."""
    assert find_problems(team(Forgetful).assembled, alone=True) == [
        f"`t/forgetful`: its {side} has `{field}`, which is no key of its state, so it would be "
        f"lost; add `{field}` to `_State`, or override `{converter}`."
        for side, field, converter in (
            ("Input", "plan", "input_to_state"),
            ("Output", "summary", "state_to_output"),
            ("Output", "total", "state_to_output"),
        )
    ]
    assert find_problems(team(Converting).assembled, alone=True) == []
