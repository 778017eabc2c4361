import json

from .job import Job, Message

INSERT = "INSERT INTO jobs (name, priority) VALUES (%(name)s, %(priority)s)"
MAIL = "INSERT INTO mail (body, priority) VALUES (%s, %s)"


def save(cursor, job: Job) -> None:
    cursor.execute(INSERT, {"name": job.name, "priority": job.priority})


def save_mail(cursor, message: Message) -> None:
    cursor.execute(MAIL, (message.body, message.priority))


def next_jobs(cursor, limit: int) -> list[Job]:
    cursor.execute(f"SELECT name, priority FROM jobs ORDER BY priority DESC LIMIT {limit}")
    return [Job(name, priority) for name, priority in cursor]


def from_json(text: str) -> Job:
    data = json.loads(text)
    return Job(name=data["name"], priority=data.get("priority", 1))
