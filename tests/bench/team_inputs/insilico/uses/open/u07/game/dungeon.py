from dataclasses import dataclass

from .models import Hero, Team


@dataclass
class Floor:
    level: int
    monsters: int = 3


class Dungeon:
    def __init__(self, floors: list[Floor], party: list[Hero]) -> None:
        self.floors = floors
        self.party = party

    def hardest(self) -> Floor:
        return max(self.floors, key=lambda f: f.level)

    def weakest(self) -> Hero:
        return min(self.party, key=lambda h: h.level)

    def can_enter(self, floor: Floor) -> bool:
        return all(hero.level >= floor.level for hero in self.party)

    def run(self) -> None:
        for level, floor in enumerate(self.floors):
            if floor.level != level:
                continue
            for hero in self.party:
                hero.level_up(floor.monsters)


def build(team: Team) -> Dungeon:
    floors = [Floor(level=n) for n in range(team.level)]
    return Dungeon(floors, team.heroes)
