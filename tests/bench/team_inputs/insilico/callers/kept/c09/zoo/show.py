from collections import defaultdict
from dataclasses import dataclass, field

from .animals import Animal, Cat, Dog, Robot

REGISTRY: dict[str, type[Animal]] = {"dog": Dog, "cat": Cat}


@dataclass
class Zoo:
    animals: list[Animal] = field(default_factory=list)
    by_name: dict[str, Animal] = field(default_factory=dict)
    guide: Robot = field(default_factory=Robot)

    def show(self) -> str:
        first, *rest = self.animals
        text = first.speak()
        text += "".join(animal.speak() for animal in rest)
        return text + self.guide.speak()

    def call(self, name: str) -> str:
        return self.by_name[name].speak()

    def all_named(self) -> list[str]:
        return [a.speak() for _, a in self.by_name.items()]

    def get(self, name: str) -> Animal:
        return self.by_name[name]


def create(kind: str) -> Animal:
    return REGISTRY[kind](kind)


def run(zoo: Zoo) -> None:
    print(zoo.get("a").speak())
    print(create("dog").speak())
    print(Dog("d").speak())
    print(Cat("c").speak())
    print(Robot().speak())
    pet = Dog("p") if zoo.animals else Robot()
    print(pet.speak())
    match zoo.animals:
        case [Dog() as dog, *_]:
            print(dog.speak())
        case [animal]:
            animal.speak()
