"""Teams that pay, whose payments go to a file in the current folder: a bank of a test."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from minerva_platform import Team, ask_person
from minerva_platform.testing import EachOnceRouter, StubAgent, kill_point

BOOK = "payments.jsonl"
"""Where the bank of a test books, in the current folder."""


def book(who: str, amount: Any) -> None:
    """Book a payment for good, and come to a point at which a crash hurts most."""
    with Path(BOOK).open("a", encoding="utf-8") as file:
        file.write(json.dumps({"to": who, "amount": amount}) + "\n")
    kill_point(f"booked for {who}")


def booked(home: Path) -> list[tuple[str, Any]]:
    """Return all payments of a home, to whom and how much."""
    book = home / BOOK
    if not book.exists():
        return []
    rows = [json.loads(line) for line in book.read_text(encoding="utf-8").splitlines()]
    return sorted((row["to"], row["amount"]) for row in rows)


def payer(name: str, pay: Callable[[str, Any], None] = book) -> StubAgent:
    """Return a worker that asks a person for the amount, and pays it."""

    def work(_: Any) -> dict[str, str]:
        amount = ask_person(f"How much may {name} pay?", answer=int)
        pay(name, amount)
        return {"summary": f"{name} paid {amount}"}

    return StubAgent(name, behave=work)


def one_payer() -> Team:
    """Return a team of one worker that asks and pays without any protection."""
    return Team(name="pay", description="Pays.", members=[payer("ann")], router=EachOnceRouter())
