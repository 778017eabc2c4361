from __future__ import annotations

import heapq
from typing import Generic, TypeVar

from .job import Job, Message, Ranked, RetryJob

J = TypeVar("J", bound=Job)


class JobQueue(Generic[J]):
    def __init__(self, jobs: list[J] | None = None) -> None:
        self.jobs: list[J] = jobs or []

    def push(self, job: J) -> None:
        self.jobs.append(job)
        self.jobs.sort(key=lambda j: j.priority, reverse=True)

    def pop(self) -> J:
        return self.jobs.pop(0)

    def peek_priority(self) -> int:
        return self.jobs[0].priority

    def __len__(self) -> int:
        return len(self.jobs)


class Mailbox:
    inbox: list[Message]

    def __init__(self) -> None:
        self.inbox = []

    def urgent(self) -> list[Message]:
        return [m for m in self.inbox if m.priority == "high"]

    def sorted(self) -> list[Message]:
        return sorted(self.inbox, key=lambda m: m.priority)


def rank(thing: Ranked) -> int:
    return thing.priority * 10


def retry(queue: JobQueue[RetryJob]) -> None:
    job = queue.pop()
    job.lower()
    if job.priority > 1:
        queue.push(job)


def merged(*queues: JobQueue[Job]) -> list[Job]:
    every = [job for queue in queues for job in queue.jobs]
    return heapq.nlargest(10, every, key=lambda job: job.priority)
