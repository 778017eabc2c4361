"""The knowledge of a supervisor when it chooses: members, task, and results so far.

It holds values only. The members' tasks and the router's view follow from them.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from minerva_platform.contract.bounds import capped
from minerva_platform.contract.dataflow import Flow, LostHandoff
from minerva_platform.contract.handoff import HandoffRecord, Handoffs
from minerva_platform.contract.result import Result
from minerva_platform.contract.router import (
    PLAIN,
    Evidence,
    Goal,
    MemberCard,
    OutputMode,
    ReadHandoff,
    ResultSummary,
    Round,
    RouterTraits,
    RoutingView,
)
from minerva_platform.contract.task import Approvals, Task
from minerva_platform.contract.values import has_happened
from minerva_platform.planning.planner import Assignment
from minerva_platform.planning.root_cause import lost_at
from minerva_platform.run_context.failures.failure_text import failure_text
from minerva_platform.text.language import Language

_TOLD_OF_EFFECT: Final = {"name", "arguments", "outcome"}
MAX_VIEWED: Final = 8_000
"""Characters of a member's summary, and of its data, that a router sees which reads results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """The members of a team, as far as planning needs to know them."""

    flows: Mapping[str, Flow]
    """Every member in declared order."""
    teams: frozenset[str] = frozenset()
    """The members that are teams."""
    cards: tuple[MemberCard, ...] = ()
    audits: Mapping[str, str]
    """kind -> member that must have seen a hand-off of this kind before it leaves."""
    substitutes: Mapping[str, str]
    """member -> member that is tried when the first fails."""
    approvals: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """member -> kinds about which it asks a person, after all else."""
    output_modes: Mapping[str, OutputMode] = field(default_factory=dict[str, OutputMode])
    """member -> what of its answer a router that reads answers sees."""
    before: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Of a workflow: member -> members that lead to it, substitutes for them included."""
    presents: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """member -> kinds of other members that its answer shows."""
    acting: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The members that only act on the world, with their examples."""
    silent: frozenset[str] = frozenset()
    """The members whose words are sensitive: nothing tells them of a call that was not made."""
    lost: tuple[LostHandoff, ...] = ()
    """Hand-offs that do not pass between members, although both sides declare them."""
    absent: Mapping[str, str] = field(default_factory=dict[str, str])
    """The teams that were left out at the start, each with the cause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """One visit of a supervisor: the task, and the results and hand-offs so far."""

    path: str
    members: Roster
    task: Task
    handoffs: Handoffs
    results: tuple[Result, ...] = ()
    traits: RouterTraits = PLAIN
    """What the team's router is granted."""

    def view(
        self,
        evidence: Mapping[str, Evidence] | None = None,
        *,
        rounds: Iterable[Round] = (),
        skips: Iterable[Result] = (),
        contents: Mapping[str, tuple[ReadHandoff, ...]] | None = None,
    ) -> RoutingView:
        """Return everything that the router may see, with what speaks for each member.

        `skips` are this step's calls that could not start. A router that reads results sees them.
        `contents` are the hand-offs that its traits let it read.
        """
        results = (*self.results, *skips) if self.traits.reads_results else self.results
        return RoutingView(
            request=self.task.request,
            context=self.task.context,
            language=self.task.language,
            members=self.members.cards,
            results=tuple(self._summary_of(at, results) for at in range(len(results))),
            rounds=tuple(rounds),
            handoffs=tuple(self.handoffs),
            handoffs_by_kind=dict(contents or {}),
            givers=self._givers,
            task_members=self._heads if self.traits.is_asked_first else (),
            is_own_run=bool(self.task.started_by),
            in_scope="/" in self.path,
            evidence=dict(evidence or {}),
        )

    @property
    def _givers(self) -> dict[str, frozenset[str]]:
        """The members that may give the kinds that the router reads."""
        return {
            kind: frozenset(name for name, flow in self.members.flows.items() if kind in flow.gives)
            for kind in self.traits.reads_handoffs
        }

    def giver_of(self, record: HandoffRecord) -> str:
        """Return the member of this team that gave a hand-off; empty if it came from outside."""
        inside = f"{self.path}/"
        if not record["path"].startswith(inside):
            return ""
        return record["path"].removeprefix(inside).partition("/")[0].partition("#")[0]

    def coming_to(self, assignment: Assignment) -> Handoffs:
        """Return the hand-offs that the assigned member is given, of the kinds that it takes.

        In a workflow what another branch gave does not come to it. What was passed on to this call
        comes last, so it is the latest.
        """
        flow, before = self.members.flows[assignment.member], self.members.before
        found = narrow(self.handoffs, flow.takes)
        if assignment.member in before:
            leading = {"", assignment.member, *before[assignment.member]}
            kept = {
                kind: [record for record in records if self.giver_of(record) in leading]
                for kind, records in found.items()
            }
            found = {kind: records for kind, records in kept.items() if records}
        for kind, records in assignment.handoffs.items():
            found[kind] = [*found.get(kind, ()), *records]
        return found

    @property
    def _heads(self) -> tuple[str, ...]:
        """The members of this team that the task names."""
        heads = dict.fromkeys(name.partition("/")[0] for name in self.task.members)
        return tuple(name for name in heads if name in self.members.flows)

    def _summary_of(self, at: int, results: Sequence[Result]) -> ResultSummary:
        """Return a result as the router sees it. A substitute answers for the one that failed."""
        item = answer = results[at]
        if not self.traits.reads_results:
            return ResultSummary(member=item.agent, status=item.status)
        later = results[at + 1 :]
        if item.status != "ok":
            instead = (
                each
                for each in later
                if (each.role, each.given_words) == ("substitute", item.given_words)
            )
            answer = next(instead, item)
        mode = self.members.output_modes.get(answer.agent, "summary")
        viewed = result_to_summary(answer, mode, language=self.task.language)
        return viewed.model_copy(
            update={
                "member": item.agent,
                "path": item.path,
                "answered_at": answer.path,
                "is_asked_for": item.role == "goal",
                "request": item.given_words,
            }
        )

    def accountable(self, person_words: str) -> str:
        """Return the words of which no part may be unserved: none, if they only refer back."""
        return "" if self.task.refers else person_words

    def has_to_approve(self, assignment: Assignment) -> bool:
        """True unless the call is to ask a person about kinds of which none was given."""
        kinds = self.members.approvals.get(assignment.member, frozenset[str]())
        return assignment.role != "approval" or not kinds.isdisjoint(self.handoffs)

    def acted_at(self, assignment: Assignment) -> str:
        """Return the path of the call of the same words that changed the world, and then failed.

        Empty if there is none.
        """
        call = (assignment.member, assignment.request or self.task.context)
        same = (each for each in self.results if (each.agent, each.given_words) == call)
        return next((e.path for e in same if e.status != "ok" and has_happened(e.effects)), "")

    def missing_for(self, assignment: Assignment) -> tuple[str, ...]:
        """Return the missing kinds that the call needs.

        A team can always start. Only its members that need a missing kind cannot.
        """
        if assignment.member in self.members.teams:
            return ()
        needs = self.members.flows[assignment.member].needs
        coming = self.coming_to(assignment) if needs else {}
        return tuple(kind for kind in needs if kind not in coming)

    def task_for(self, assignment: Assignment, *, skips: Iterable[Result]) -> Task:
        """Return the task of the assigned member."""
        flow = self.members.flows[assignment.member]
        crossing = flow.takes | flow.gives.keys()  # what it gives: it may have failed to before
        members = self._members_within(assignment)
        is_addressed = assignment.member in self.task.members or bool(members)
        is_on_its_way = bool(self.task.started_by and members)  # narrowed where it was called
        return Task(
            request=assignment.request,
            context=self.task.context,
            language=self.task.language,
            attachments=self.task.attachments,
            handoffs=self.handoffs if is_on_its_way else self.coming_to(assignment),
            wanted_kinds=self._still_wanted(assignment),
            members=members,
            meant=self.task.meant,
            fields=self.task.fields if is_addressed and self.task.started_by else assignment.fields,
            lost=self.lost_of(sorted(crossing - self.handoffs.keys()), skips=skips),
            approvals=self._approvals_within(assignment),
            started_by=self.task.started_by if is_addressed else "",
        )

    def _still_wanted(self, assignment: Assignment) -> tuple[str, ...]:
        """Return the wanted kinds but those that an early call of the member has given.

        What waits for no hand-off comes out the same a second time.
        """
        early = tuple(
            f"{result.path}/"
            for result in self.results
            if result.agent == assignment.member and result.role == "preparation"
        )
        waits = self.members.flows[assignment.member].waits
        return tuple(
            kind
            for kind in assignment.wanted_kinds
            if waits[kind]
            or kind not in self.handoffs
            or not self.handoffs[kind][-1]["path"].startswith(early)
        )

    def _approvals_within(self, assignment: Assignment) -> Approvals:
        """Return when the assigned member asks a person: once this visit's other calls are over."""
        if self.task.approvals == "never":
            return "never"
        return "only" if assignment.role == "approval" else "later"

    def _members_within(self, assignment: Assignment) -> tuple[str, ...]:
        """Return the members of the assigned team that the task names: `team/worker`."""
        if assignment.role != "goal":
            return ()
        inside = f"{assignment.member}/"
        return tuple(
            name.removeprefix(inside) for name in self.task.members if name.startswith(inside)
        )

    def lost_of(self, kinds: Iterable[str], *, skips: Iterable[Result]) -> dict[str, str]:
        """Return those of `kinds` that a member failed to give, each with that failure's path."""
        results, audits = (*self.results, *skips), self.members.audits
        found = {
            kind: lost_at(kind, results, flows=self.members.flows, auditor=audits.get(kind))
            or self.task.lost.get(kind)
            for kind in kinds
        }
        return {kind: path for kind, path in found.items() if path is not None}

    def digest(self, assignment: Assignment) -> str:
        """Return a digest of the call's words, wanted kinds and hand-offs."""
        takes = self.members.flows[assignment.member].takes
        content = [
            assignment.request,
            assignment.wanted_kinds,
            {kind: self.handoffs[kind] for kind in sorted(takes & self.handoffs.keys())},
        ]
        return hashlib.sha256(orjson.dumps(content)).hexdigest()


def is_presented(
    kinds: Collection[str], answers: Iterable[Result], presents: Mapping[str, Sequence[str]]
) -> bool:
    """True if `answers` show all `kinds` that a member gave."""
    shown = {kind for one in answers for kind in presents.get(one.agent, ())}
    return bool(kinds) and shown.issuperset(kinds)


def result_to_summary(result: Result, mode: OutputMode, *, language: Language) -> ResultSummary:
    """Return a result as a model reads it: what the member's `output_mode` lets out, capped."""
    data, left_out = fitting(result.output if mode in {"data", "history"} else {}, MAX_VIEWED)
    return ResultSummary(
        member=result.agent,
        path=result.path,
        status=result.status,
        is_asked_for=result.role == "goal",
        request=result.given_words,
        cause=failure_text(result.error, language) if result.error else "",
        summary=capped(result.summary, MAX_VIEWED),
        data=data,
        left_out=left_out,
        history=result.history if mode == "history" else (),
        effects=tuple(each.model_dump(include=_TOLD_OF_EFFECT) for each in result.effects),
        passes_to=tuple(
            Goal(
                member=one.to,
                request=one.request,
                fields=one.fields,
                handoffs=dict[str, list[Any]](one.handoffs),
            )
            for one in result.transfers
        ),
    )


def fitting(fields: Mapping[str, Any], limit: int) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the first fields that fit into `limit` characters of JSON, and the names of others."""
    kept: dict[str, Any] = {}
    for name, value in fields.items():
        size = len(json.dumps({name: value}, ensure_ascii=False))
        if size <= limit:
            limit -= size
            kept[name] = value
    return kept, tuple(name for name in fields if name not in kept)


def narrow(handoffs: Mapping[str, list[HandoffRecord]], kinds: frozenset[str]) -> Handoffs:
    """Return only the hand-offs of `kinds`."""
    return {kind: list(records) for kind, records in handoffs.items() if kind in kinds}
