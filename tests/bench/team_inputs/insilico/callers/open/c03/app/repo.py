from typing import Generic, Protocol, TypeVar

T = TypeVar("T")


class User:
    def __init__(self, name: str) -> None:
        self.name = name


class Getter(Protocol):
    def get(self, pk: int) -> object: ...


class Base(Generic[T]):
    def __init__(self) -> None:
        self.rows: dict[int, T] = {}

    def get(self, pk: int) -> T | None:
        return self.rows.get(pk)

    def must(self, pk: int) -> T:
        found = self.get(pk)
        if found is None:
            raise KeyError(pk)
        return found


class UserRepo(Base[User]):
    def get(self, pk: int) -> User | None:
        if pk < 0:
            return None
        return super().get(pk)

    def name(self, pk: int) -> str:
        user = self.get(pk)
        return user.name if user else "?"


class TagRepo(Base[str]):
    def first(self) -> str | None:
        return self.get(1)
