from email.message import EmailMessage
import smtplib

from .models import Contact, Mail, Member, db


def send(email: str, subject: str) -> None:
    message = EmailMessage()
    message["To"] = email
    message["Subject"] = subject
    db.session.add(Mail(recipient=email))
    with smtplib.SMTP("localhost") as server:
        server.send_message(message)


def newsletter() -> int:
    addresses = [row.email for row in db.session.query(Member.email).distinct()]
    for (email,) in db.session.query(Contact.email).filter(Contact.email.isnot(None)):
        addresses.append(email)
    for address in set(addresses):
        send(address, "news")
    return len(addresses)


def duplicates():
    sql = f"""
        SELECT m.email, COUNT(*) AS n
        FROM {Member.__tablename__} AS m
        LEFT JOIN contacts c ON c.email = m.email
        GROUP BY m.email HAVING COUNT(*) > 1
    """
    return db.session.execute(db.text(sql)).all()


def orphaned():
    return db.session.execute(
        db.text("SELECT email FROM contacts WHERE member_id IS NULL")
    ).scalars().all()
