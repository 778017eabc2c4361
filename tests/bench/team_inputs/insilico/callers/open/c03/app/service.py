import os

from .repo import Getter, TagRepo, UserRepo


class Service:
    users: UserRepo

    def __init__(self, users: UserRepo, tags: TagRepo | None = None) -> None:
        self.users = users
        self.tags = tags or TagRepo()
        self.limit = int(os.environ.get("LIMIT", "3"))

    def greet(self, pk: int) -> str:
        user = self.users.get(pk)
        return f"hi {user.name if user else 'you'}"

    def tag(self, pk: int) -> str:
        return self.tags.get(pk) or ""

    def both(self, pk: int):
        return self.users.get(pk), self.tags.get(pk)


def any_of(repo: Getter, pk: int):
    return repo.get(pk)


def optional(repo: "UserRepo | None", pk: int):
    return repo.get(pk) if repo is not None else None


def header(request) -> str:
    return request.headers.get("X")
