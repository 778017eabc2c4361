from typing import Optional

from sqlmodel import Field, Relationship, SQLModel


class TeamBase(SQLModel):
    name: str = Field(index=True)
    level: int = 1


class Team(TeamBase, table=True):
    id: Optional[int] = Field(default=None, primary_key=True)
    heroes: list["Hero"] = Relationship(
        back_populates="team", sa_relationship_kwargs={"order_by": "Hero.level.desc()"}
    )

    def strength(self) -> int:
        return self.level * sum(h.level for h in self.heroes)


class HeroBase(SQLModel):
    name: str
    level: int = Field(default=1, ge=1, le=99)
    team_id: Optional[int] = Field(default=None, foreign_key="team.id")


class Hero(HeroBase, table=True):
    id: Optional[int] = Field(default=None, primary_key=True)
    secret: str = ""
    team: Optional[Team] = Relationship(back_populates="heroes")

    def level_up(self, by: int = 1) -> "Hero":
        self.level = min(99, self.level + by)
        return self

    def fits(self) -> bool:
        return self.team is None or self.level >= self.team.level


class HeroCreate(HeroBase):
    secret: str


class HeroPublic(HeroBase):
    id: int


class HeroUpdate(SQLModel):
    name: Optional[str] = None
    level: Optional[int] = None


class TeamPublic(TeamBase):
    id: int
