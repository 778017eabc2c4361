"""`minerva explain`: the decision at each level and the calls that follow, nothing run."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from minerva_platform.cli.ask.commands import ExplainOptions
from minerva_platform.cli.ask.open_app import open_app
from minerva_platform.cli.ask.request import (
    check_paths,
    check_router_name,
    in_language,
    named_thread,
    read_request,
)
from minerva_platform.cli.io.console import show
from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.io.stream import answers_only, printable, write_json
from minerva_platform.config.settings import find_settings
from minerva_platform.contract.askable import build_task
from minerva_platform.contract.router import Decision
from minerva_platform.conversation.preview import Plan, PlannedCall, foresee_turn
from minerva_platform.run_context.blocking import run_sync
from minerva_platform.storage.engine.location import find_place
from minerva_platform.storage.ledger.threads import Conversation

_ROLES = {
    "goal": "asked for",
    "producer": "gives what others need",
    "audit": "audits what others gave",
    "preparation": "prepares early",
    "substitute": "instead",
    "approval": "asks a person at the end",
}


def explain(options: ExplainOptions) -> ExitCode:
    """Print how the request would be served. Return 1 if no member would serve it."""
    request = read_request(options.text)
    task = in_language(build_task(request, check_paths(options.paths)), options.language)
    router = check_router_name(options.router)
    with answers_only():
        settings = find_settings(options.config)
        app = open_app(settings, only_team=options.team, router=router)
        thread = named_thread(options.thread, settings, task.language)
        place = find_place(app.home, settings.platform.storage.url)
        before = Conversation(place, thread) if thread else None
        plan = run_sync(foresee_turn, app.team, task, before)
    if options.as_json:
        write_json(plan.model_dump(mode="json"))
    else:
        show(lambda _: Group(*_draw(plan)))
    return ExitCode.ANSWERED if _is_served(plan) else ExitCode.FAILED


def _is_served(plan: Plan) -> bool:
    return bool(plan.stages or plan.skipped) or plan.is_small_talk


def _draw(plan: Plan) -> Iterator[RenderableType]:
    yield Text(plan.path, style="bold cyan")
    if plan.decision is not None:
        yield Padding(_decision_table(plan, plan.decision), (0, 0, 0, 2))
    else:
        yield Text("  no words to route: it makes the hand-offs that later calls want", "dim")
    if not _is_served(plan):
        yield from _why_nobody(plan)
    yield Padding(_stage_table(plan), (0, 0, 0, 2))
    for stage in plan.stages:
        for call in stage:
            if call.inner is not None:
                yield Text("")
                yield from _draw(call.inner)


def _why_nobody(plan: Plan) -> Iterator[Text]:
    if plan.decision is not None and plan.decision.fallback:
        yield Text("  the model failed, and examples alone find nobody (router_failed)", "yellow")
        return
    if plan.decision is not None and plan.decision.absent:
        teams = ", ".join(dict.fromkeys(goal.member for goal in plan.decision.absent))
        yield Text(f"  left out at the start, see minerva check (no_route): {teams}", "yellow")
        return
    yield Text("  nobody serves this (no_route)", style="yellow")
    yield Text("  a worker learns such a request from its `examples`", style="dim")


def _decision_table(plan: Plan, decision: Decision) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("request", printable(plan.request))
    if decision.unserved:
        table.add_row("not done", Text(printable("; ".join(decision.unserved)), "yellow"))
    for goal in decision.goals:
        table.add_row("goal", Text(goal.member, "bold").append(_words(goal.request, plan), "dim"))
    scores = sorted(decision.scores.items(), key=lambda item: -item[1])
    if scores:
        table.add_row("scores", "  ".join(f"{name} {score:.2f}" for name, score in scores))
    if decision.margin is not None:
        lead = "ahead of" if decision.goals else "short of"
        other = decision.runner_up or "a refusal"
        table.add_row("margin", f"{decision.margin:.2f} {lead} {other}")
    if decision.fallback:
        table.add_row("instead", printable(decision.fallback))
    if decision.reason:
        table.add_row("reason", printable(decision.reason))
        for member, why in decision.evidence.items():
            table.add_row("evidence", f"{printable(member)}: {printable(why)}")
    table.add_row("router", decision.router)
    return table


def _words(words: str, plan: Plan) -> str:
    return "" if words == plan.request else f"  “{' '.join(printable(words).split())}”"


def _stage_table(plan: Plan) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(style="dim")
    for number, stage in enumerate(plan.stages, start=1):
        for index, call in enumerate(stage):
            first = f"stage {number}" if index == 0 else ""
            table.add_row(first, call.path.rpartition("/")[2], _why(call))
    for index, skipped in enumerate(plan.skipped):
        first = "skipped" if index == 0 else ""
        table.add_row(first, skipped.path.rpartition("/")[2], skipped.cause)
    return table


def _why(call: PlannedCall) -> str:
    gives = f", gives {', '.join(call.gives)}" if call.gives else ""
    return f"{_ROLES[call.role]}{gives}"
