import logging
from functools import partial

import attrs

from .job import Job, Message, Priority
from .queue import JobQueue, Mailbox

log = logging.getLogger("worker")
high = partial(Job, priority=Priority.HIGH)
loud = partial(Message, priority="high")
DEFAULTS = {"priority": 5, "tags": ("new",)}


def run(queue: JobQueue[Job], box: Mailbox) -> None:
    while queue:
        job = queue.pop()
        log.info("%s (%s)", job.name, job.priority, extra={"priority": job.priority})
        box.inbox.append(Message(job.name, priority="high" if job.priority > 5 else "low"))


def bump(job: Job) -> Job:
    return attrs.evolve(job, priority=job.priority + 1)


def make(name: str, **kwargs) -> Job:
    return Job(name, **{**DEFAULTS, **kwargs})


def columns() -> list[str]:
    return [a.name for a in attrs.fields(Job) if a is not attrs.fields(Job).priority]


def nice(process) -> int:
    return process.priority()


def export(jobs: list[Job]) -> list[dict]:
    return [attrs.asdict(job, filter=attrs.filters.exclude("priority")) for job in jobs]


def set_all(jobs: list[Job], priority: int) -> None:
    for job in jobs:
        setattr(job, "priority", priority)
