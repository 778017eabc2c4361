import asyncio

import app.repo as repos
from app.repo import UserRepo
from app.service import Service

REPO = UserRepo()
DATA = {"a": 1}


def current() -> UserRepo:
    return REPO


async def main() -> None:
    service = Service(users=REPO)
    print(service.greet(1), DATA.get("a"))
    print(REPO.get(1))
    print(current().get(2))
    print(repos.UserRepo().get(3))
    print(await asyncio.to_thread(REPO.get, 4))
    with_walrus = (r := UserRepo()).get(5)
    print(with_walrus, r.get(6))
    method = REPO.get
    method(7)
    print(getattr(REPO, "get")(8))


if __name__ == "__main__":
    asyncio.run(main())
