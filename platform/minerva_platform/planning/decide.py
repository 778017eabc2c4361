"""The decision of a router, checked: whom it may name, and which words go to whom."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from types import MappingProxyType

from minerva_platform.contract.dataflow import Flow
from minerva_platform.contract.router import (
    Decision,
    ExamplesRouter,
    Goal,
    Router,
    RoutingView,
    address,
    check_decision,
    choose_by_examples,
    served_words,
    traits_of,
)
from minerva_platform.planning.request_words import quote_unserved, with_names
from minerva_platform.planning.situation import Situation
from minerva_platform.routing.clauses.content_words import names_subject
from minerva_platform.routing.clauses.wishes import commands
from minerva_platform.text.question_or_command import asks_to_know


async def decide(
    view: RoutingView,
    ask: Callable[[RoutingView], Awaitable[Decision]],
    *,
    router: Router,
    named_members: Sequence[str],
    person_words: str,
    acting: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Decision:
    """Return the checked decision of `ask` on `view`, with unserved parts as quotes.

    At the start of a task that names its members (`named_members`) no router is asked, except one
    that is asked first. What asks to know something goes to no `acting` member: these only act.

    Raises:
        UnknownMemberError: a goal names a member that `view` does not have.
    """
    if named_members and not view.results and not traits_of(router).is_asked_first:
        heads = dict.fromkeys(name.partition("/")[0] for name in named_members)
        answer = _address_to(tuple(heads), view, router, person_words)
    else:
        answer = await ask(view)
        if not traits_of(router).names_every_call:  # a declared order is no choice
            is_choice = isinstance(router, ExamplesRouter)
            answer = _without_questions(answer, acting, person_words, by_examples=is_choice)
    decision = check_decision(
        answer,
        [card.name for card in view.members],
        keeps_goals_apart=traits_of(router).keeps_goals_apart,
    )
    decision = decision.model_copy(update={"unserved": _not_done(decision)})
    if view.evidence:
        why = {name: one.why for name, one in view.evidence.items() if one.why}
        decision = decision.model_copy(update={"evidence": why})
    decision = quote_unserved(with_names(decision, view.request), view, person_words)
    # a member that the task names gets all words that are not told as undone
    words = tuple(goal for goal in decision.absent if goal.request in decision.unserved)
    is_told = bool(words or decision.goals)
    return decision.model_copy(update={"absent": words}) if is_told else decision


def with_words_of_takers(decision: Decision, here: Situation) -> Decision:
    """Return `decision`; for each goal also those of workers that make what it cannot do without.

    `진단 코드, 환자 식별을 표로` is one list, although its last words ask for a table. Words that
    name nothing say how the answer shall look, so nobody else needs them.
    """
    if here.traits.keeps_goals_apart or here.traits.names_every_call:
        return decision
    flows = here.members.flows
    workers = {goal.member for goal in decision.goals} - here.members.teams
    goals: list[Goal] = []
    for goal in decision.goals:
        goals.append(goal)
        makers = _makers(goal.member, flows, workers)
        if makers and names_subject(goal.request):
            goals += [goal.model_copy(update={"member": name}) for name in flows if name in makers]
    return decision.model_copy(update={"goals": tuple(goals)})


def _makers(member: str, flows: Mapping[str, Flow], among: Collection[str]) -> set[str]:
    """Return the members that give what `member` needs, and what these need in turn."""
    makers, queue = set[str](), [member]
    while queue:
        needs = flows[queue.pop()].needs.keys()
        new = {name for name in among if needs & flows[name].gives.keys()} - makers - {member}
        makers |= new
        queue += new
    return makers


def _address_to(
    members: Sequence[str], view: RoutingView, router: Router, person_words: str
) -> Decision:
    """Return the decision to send a follow-up to `members`, with its unserved parts.

    The words of an unserved part go to no member, neither now nor with a later follow-up.
    """
    choice = choose_by_examples(router, view.request)
    decision = address(members, view.request)
    update = {"unserved": _not_done(choice), "absent": choice.absent}
    decision = decision.model_copy(update=update)
    decision = quote_unserved(decision, view, person_words)
    if not (decision.unserved and decision.goals):
        return decision
    served = address(members, served_words(choice))
    return decision.model_copy(update={"goals": served.goals})


def _not_done(decision: Decision) -> tuple[str, ...]:
    """Return the parts that nobody serves, those of absent teams included."""
    absent = (" ".join(goal.request.split()) for goal in decision.absent)
    return tuple(dict.fromkeys((*decision.unserved, *absent)))


def _without_questions(
    decision: Decision, acting: Mapping[str, Sequence[str]], person_words: str, *, by_examples: bool
) -> Decision:
    """Return `decision` without members that only act, where its words ask or tell something.

    `acting` are these members with their examples, which are commands. A choice `by_examples` alone
    needs a sign of a command, too.
    """

    def is_for(goal: Goal) -> bool:
        examples = acting.get(goal.member)
        words = [*filter(str.strip, (person_words, goal.request))]
        if examples is None or not words:
            return True
        asks = any(map(asks_to_know, words))
        return not asks and (not by_examples or any(commands(each, examples) for each in words))

    goals = tuple(filter(is_for, decision.goals))
    if len(goals) == len(decision.goals):
        return decision
    others = tuple(goal.request for goal in decision.goals if goal not in goals)
    update = {"goals": goals, "finish": decision.finish or not goals}
    return decision.model_copy(update={**update, "unserved": (*decision.unserved, *others)})
