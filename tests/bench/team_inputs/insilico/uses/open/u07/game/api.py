import logging

from fastapi import APIRouter, Depends, HTTPException, Query
from sqlmodel import Session, col, select

from .db import session
from .models import Hero, HeroCreate, HeroPublic, HeroUpdate, Team, TeamPublic

router = APIRouter()
log = logging.getLogger(__name__)
log.level = logging.INFO


@router.get("/heroes", response_model=list[HeroPublic])
def heroes(
    db: Session = Depends(session),
    at_least: int = Query(default=1, alias="level"),
):
    stmt = select(Hero).where(Hero.level >= at_least).order_by(col(Hero.level).desc())
    return db.exec(stmt).all()


@router.post("/heroes", response_model=HeroPublic)
def create(body: HeroCreate, db: Session = Depends(session)):
    hero = Hero.model_validate(body)
    db.add(hero)
    db.commit()
    log.info("new hero %s at %d", hero.name, hero.level)
    return hero


@router.patch("/heroes/{pk}", response_model=HeroPublic)
def update(pk: int, body: HeroUpdate, db: Session = Depends(session)):
    hero = db.get(Hero, pk)
    if hero is None:
        raise HTTPException(404)
    changes = body.model_dump(exclude_unset=True)
    if changes.get("level", 1) < hero.level:
        raise HTTPException(400, "level must not fall")
    hero.sqlmodel_update(changes)
    return hero


@router.get("/teams", response_model=list[TeamPublic])
def teams(db: Session = Depends(session)):
    return db.exec(select(Team).order_by(Team.level)).all()


@router.get("/teams/{pk}/best")
def best(pk: int, db: Session = Depends(session)):
    team = db.get(Team, pk)
    top = max(team.heroes, key=lambda h: h.level)
    return {"hero": top.name, "gap": top.level - team.level}


@router.get("/matches")
def matches(db: Session = Depends(session)):
    stmt = select(Hero.name, Team.name).join(Team).where(Hero.level > Team.level)
    return [f"{hero} of {team}" for hero, team in db.exec(stmt)]
