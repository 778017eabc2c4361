from .db import engine
from .models import Hero, Team
from sqlmodel import Session

HEROES = [
    {"name": "Ada", "level": 7},
    {"name": "Bo", "level": 3},
]


def seed():
    with Session(engine) as db:
        team = Team(name="Red", level=2)
        for data in HEROES:
            db.add(Hero(**data, team=team))
        db.add(Hero(name="Cy", level=1, secret="x"))
        db.connection().exec_driver_sql("UPDATE hero SET level = 1 WHERE level IS NULL")
        db.connection().exec_driver_sql("UPDATE team SET level = 1 WHERE level IS NULL")
        db.commit()
