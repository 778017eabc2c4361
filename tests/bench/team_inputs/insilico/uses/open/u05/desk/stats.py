from sqlalchemy import func, text

from .ext import db
from .models import Agent, Ticket


def counts():
    rows = db.session.query(Ticket.status, func.count(Ticket.id)).group_by(Ticket.status)
    return dict(rows.all())


def agent_counts():
    rows = db.session.query(Agent.status, func.count()).group_by(Agent.status)
    return dict(rows.all())


def raw(table="ticket"):
    sql = (
        "SELECT t.title, t.status, a.status AS agent_status "
        "FROM ticket t JOIN agent a ON a.id = t.agent_id "
        "WHERE t.status <> :done"
    )
    return db.session.execute(text(sql), {"done": "closed"}).mappings().all()


def overdue(days: int):
    for row in raw():
        yield row["title"], row["status"], row["agent_status"]


def busy():
    status = "busy"
    return db.session.execute(text(f"SELECT name FROM agent WHERE status = '{status}'"))
