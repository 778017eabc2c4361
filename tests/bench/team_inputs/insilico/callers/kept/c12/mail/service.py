import asyncio

from fastapi import BackgroundTasks, Depends

from mail import Mailer, make_mailer
from mail.send import TestMailer, opened


class Service:
    def __init__(self, mailer: Mailer = None) -> None:
        self.mailer = mailer or make_mailer()
        self.test = TestMailer()

    async def welcome(self, to: str) -> None:
        await self.mailer.send(to, "welcome")
        await self.test.send(to, "welcome")
        asyncio.create_task(self.mailer.send(to, "later"))

    async def group(self, *to: str) -> list[bool]:
        async with asyncio.TaskGroup() as tasks:
            for address in to:
                tasks.create_task(self.mailer.send(address, "group"))
        return await asyncio.gather(*(self.mailer.send(t, "x") for t in to))


async def endpoint(tasks: BackgroundTasks, mailer: Mailer = Depends(make_mailer)) -> None:
    tasks.add_task(mailer.send, "a@b", "text")
    await mailer.send("c@d", text="now")


async def scoped() -> None:
    with Mailer("mx") as m:
        await m.send("e@f", "")
    with opened() as m:
        await m.send("g@h", "")
    await Mailer.instance.send("i@j", "")


def generator():
    gen = (x for x in [1])
    return gen.send(None)


async def request(client) -> None:
    await client.send("raw")
