"""Questions of runs to people, over HTTP: listed, decided once, and kept for audits."""

from functools import partial

from fastapi import APIRouter
from sqlalchemy import Connection

from minerva_platform.contract.run_object import DecisionBatch, GivenDecision, Interrupt
from minerva_platform.server.access import Approver
from minerva_platform.server.request_models import ApprovalBody
from minerva_platform.server.response_models import (
    ApprovalsOfRun,
    AskedAnswer,
    DecidedAnswer,
    RunAnswer,
    assistant_id_of,
    time_text,
    to_run,
)
from minerva_platform.server.routes.assistants import ItsService
from minerva_platform.storage.ledger.questions import (
    OpenQuestion,
    decisions_of,
    digests_of,
    open_questions,
)

router = APIRouter(tags=["approvals"])


@router.get("/approvals")
async def list_approvals(service: ItsService, caller: Approver) -> list[AskedAnswer]:
    """Return what waits for a person, the oldest first; in a restored copy, what does not rest."""
    look = partial(open_questions, tenant=caller.tenant)
    found = await service.engine.aread(look, empty=tuple[OpenQuestion, ...]())
    return [
        AskedAnswer(
            run_id=each.run_id,
            thread_id=each.thread_id,
            assistant_id=assistant_id_of(each.root),
            request=each.request,
            question=each.interrupt,
        )
        for each in found
        if caller.may_ask(each.root) and not each.rests
    ]


@router.post("/approvals")
async def decide(body: ApprovalBody, service: ItsService, caller: Approver) -> RunAnswer:
    """Keep decisions about what a run asks: all of them or none, and the first ones only."""
    given: dict[str, GivenDecision] = {name: each.decision for name, each in body.decisions.items()}
    shown = {name: each.shown_sha256 for name, each in body.decisions.items()}
    batch = DecisionBatch(given, batch_id=body.batch_id, shown=shown)
    await service.decide(body.run_id, batch, caller)
    return to_run(await service.run(body.run_id, caller))


@router.get("/approvals/{run_id}")
async def get_approvals(run_id: str, service: ItsService, caller: Approver) -> ApprovalsOfRun:
    """Return what a run asks, and what was decided: by whom, when, and about what."""
    await service.run(run_id, caller)

    def look(connection: Connection) -> tuple[list[Interrupt], list[DecidedAnswer]]:
        questions = open_questions(connection, run_id)
        waiting = [each.interrupt for each in questions if not each.rests]
        digests = digests_of(connection, run_id)
        done = [
            DecidedAnswer(
                interrupt_id=each.interrupt_id,
                shown_sha256=digests.get(each.interrupt_id, ""),
                decision=dict(each.decision),
                by=each.by,
                at=time_text(each.at),
            )
            for each in decisions_of(connection, run_id).values()
        ]
        return waiting, sorted(done, key=lambda each: (each.at, each.interrupt_id))

    nothing: tuple[list[Interrupt], list[DecidedAnswer]] = ([], [])
    waiting, done = await service.engine.aread(look, empty=nothing)
    return ApprovalsOfRun(run_id=run_id, open=waiting, decided=done)
