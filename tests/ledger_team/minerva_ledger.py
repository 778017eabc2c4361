"""A stranger's team that needs the data team's plan: when that changes, it no longer fits."""

from typing import ClassVar

from pydantic import BaseModel

from minerva_platform import AgentInput, Handoff, Team, agent


class PlannedColumn(BaseModel):
    """A column, as far as the ledger reads it."""

    table: str
    column: str


class RenamePlan(Handoff):
    """The data team's plan."""

    kind: ClassVar[str] = "data.rename_plan"
    version: ClassVar[int] = 1

    columns: tuple[PlannedColumn, ...]


class LedgerInput(AgentInput):
    """What is entered."""

    plan: RenamePlan


@agent(examples=[f"enter page {number} in the ledger book" for number in range(10)])
def keep_ledger(given: LedgerInput) -> str:
    """Enters columns in the ledger."""
    return f"{len(given.plan.columns)} columns are in the ledger"


class LedgerTeam(Team):
    """One worker, which cannot do without the plan."""

    name = "ledger"
    description = "Keeps the ledger of columns."
    members = (keep_ledger,)
