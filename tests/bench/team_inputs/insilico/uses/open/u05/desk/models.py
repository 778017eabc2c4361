from .ext import db


class Agent(db.Model):
    __tablename__ = "agent"

    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(60))
    status = db.Column(db.String(10), default="away")
    open_tickets = db.relationship(
        "Ticket",
        primaryjoin="and_(Agent.id == Ticket.agent_id, Ticket.status == 'open')",
        viewonly=True,
    )
    closed_tickets = db.relationship(
        lambda: Ticket,
        primaryjoin=lambda: db.and_(Agent.id == Ticket.agent_id, Ticket.status == "closed"),
        viewonly=True,
    )


class Ticket(db.Model):
    __tablename__ = "ticket"
    __table_args__ = (
        db.Index("ix_ticket_status", "status", "created"),
        db.CheckConstraint("status IN ('open', 'closed', 'new')", name="ck_status"),
    )

    id = db.Column(db.Integer, primary_key=True)
    title = db.Column(db.String(200))
    status = db.Column(db.String(10), nullable=False, default="new")
    created = db.Column(db.DateTime)
    agent_id = db.Column(db.ForeignKey("agent.id"))
    agent = db.relationship("Agent", backref="tickets")

    @property
    def is_open(self):
        return self.status in ("new", "open")

    def close(self):
        self.status = "closed"
        if self.agent.status == "busy":
            self.agent.status = "free"

    def to_dict(self):
        return {
            "id": self.id,
            "title": self.title,
            "status": self.status,
            "agent": {"name": self.agent.name, "status": self.agent.status},
        }

    @classmethod
    def from_form(cls, form):
        data = {k: form[k] for k in ("title", "status") if k in form}
        return cls(**data)
