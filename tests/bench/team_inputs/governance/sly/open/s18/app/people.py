from sqlalchemy import text

from app.db import Session


def hire(name, email, national_insurance_no):
    with Session.begin() as session:
        session.execute(
            text("INSERT INTO people (name, email, ni_no) VALUES (:n, :e, :x)"),
            {"n": name, "e": email, "x": national_insurance_no},
        )
