from __future__ import annotations

import abc
from typing import TypeVar

A = TypeVar("A", bound="Animal")


class Animal(abc.ABC):
    def __init__(self, name: str, friend: Animal | None = None) -> None:
        self.name = name
        self.friend = friend

    def speak(self) -> str:
        return f"{self.name}: {self.sound()}"

    @abc.abstractmethod
    def sound(self) -> str: ...

    def chat(self) -> list[str]:
        lines = [self.speak()]
        if self.friend is not None:
            lines.append(self.friend.speak())
        return lines


class Dog(Animal):
    def sound(self) -> str:
        return "wuff"

    def bark(self) -> str:
        return self.speak() + "!"


class Cat(Animal):
    def speak(self) -> str:
        return super().speak().lower()

    def sound(self) -> str:
        return "meow"

    def purr(self) -> str:
        return self.speak()


class Robot:
    def speak(self) -> str:
        return "beep"


class RoboDog(Dog, Robot):
    def test(self) -> str:
        return self.speak()

    def robotic(self) -> str:
        return Robot.speak(self)


def loudest(animals: list[A]) -> A:
    return max(animals, key=lambda a: len(a.speak()))
