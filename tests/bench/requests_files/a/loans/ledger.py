from loans.models import Loan
from loans.notify import tell


class Ledger:
    def __init__(self, db):
        self.db = db

    def post_payment(self, loan: Loan, amount: int) -> int:
        self.db.execute(
            "UPDATE LN_MASTER SET BAL_AMT = BAL_AMT - :a WHERE LOAN_NO = :n",
            {"a": amount, "n": loan.loan_no},
        )
        tell(loan, f"received {amount}")
        return amount

    def balance(self, loan_no: str) -> int:
        return self.db.execute(
            "SELECT BAL_AMT FROM LN_MASTER WHERE LOAN_NO = :n", {"n": loan_no}
        ).fetchone()[0]


def monthly_run(ledger: Ledger, loans: list[Loan]) -> int:
    return sum(ledger.post_payment(loan, loan.principal // 12) for loan in loans)
