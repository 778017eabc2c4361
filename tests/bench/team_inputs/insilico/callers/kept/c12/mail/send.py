from __future__ import annotations

import smtplib
from contextlib import contextmanager
from typing import Iterator


class Mailer:
    instance: Mailer

    def __init__(self, host: str) -> None:
        self.host = host
        self.smtp = smtplib.SMTP(host)

    def __enter__(self) -> Mailer:
        return self

    def __exit__(self, *exc) -> None:
        self.smtp.quit()

    async def send(self, to: str, text: str) -> bool:
        self.smtp.sendmail("me", [to], text)
        return True

    async def send_many(self, *to: str) -> None:
        for address in to:
            await self.send(address, "hello")

    @staticmethod
    async def quick(to: str) -> None:
        await Mailer("localhost").send(to, "quick")


class TestMailer(Mailer):
    def __init__(self) -> None:
        self.sent: list[str] = []

    async def send(self, to: str, text: str) -> bool:
        self.sent.append(to)
        return False


def make_mailer() -> Mailer:
    return Mailer("mx")


@contextmanager
def opened() -> Iterator[Mailer]:
    yield Mailer("mx")
