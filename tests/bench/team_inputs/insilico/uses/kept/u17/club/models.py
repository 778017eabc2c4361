from datetime import datetime

from flask_login import UserMixin
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import event
from sqlalchemy.orm import foreign, remote, synonym

db = SQLAlchemy()


class Member(UserMixin, db.Model):
    __tablename__ = "members"
    __table_args__ = (db.UniqueConstraint("email", "club_id", name="uq_member"),)

    id = db.Column(db.Integer, primary_key=True)
    club_id = db.Column(db.Integer)
    name = db.Column(db.String(60))
    email = db.Column(db.String(120), index=True, nullable=False)
    login = synonym("email")
    mails = db.relationship(
        "Mail",
        primaryjoin="foreign(Mail.recipient) == Member.email",
        back_populates="member",
    )

    def __repr__(self):
        return "<Member %s>" % self.email

    @classmethod
    def by_email(cls, email):
        return cls.query.filter(db.func.lower(cls.email) == email.lower()).first()

    @property
    def domain(self):
        return self.email.partition("@")[2]

    def update(self, **values):
        for key in ("name", "email"):
            if key in values:
                setattr(self, key, values[key])


class Contact(db.Model):
    __tablename__ = "contacts"

    id = db.Column(db.Integer, primary_key=True)
    email = db.Column(db.String(120))
    phone = db.Column(db.String(30))
    member_id = db.Column(db.ForeignKey("members.id"))
    member = db.relationship(Member, backref="contacts")

    def differs(self):
        return self.email != self.member.email


class Mail(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    recipient = db.Column(db.String(120))
    sent = db.Column(db.DateTime, default=datetime.utcnow)
    member = db.relationship(
        Member,
        primaryjoin=lambda: foreign(Mail.recipient) == remote(Member.email),
        back_populates="mails",
    )


@event.listens_for(Member.email, "set", retval=True)
def lower(target, value, old, initiator):
    return value.lower()


@event.listens_for(Contact.email, "set", retval=True)
def strip(target, value, old, initiator):
    return value.strip()
