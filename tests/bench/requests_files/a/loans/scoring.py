"""Grades of borrowers."""

from loans.models import Borrower, Loan


class Scorer:
    def __init__(self, limit: int) -> None:
        self.limit = limit

    def grade(self, borrower: Borrower, loans: list[Loan]) -> str:
        total = sum(loan.principal for loan in loans)
        if total == 0:
            return "A"
        if total < self.limit and borrower.grade != "D":
            return "B"
        for loan in loans:
            if loan.collateral is None and loan.rate > 0.1:
                return "D"
        return "C"


def is_risky(grade: str) -> bool:
    """Tell whether the desk must ask the manager."""
    return grade in {"C", "D"}
