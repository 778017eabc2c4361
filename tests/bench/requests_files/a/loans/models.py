from dataclasses import dataclass


@dataclass
class Borrower:
    cust_no: str
    cust_nm: str
    mobile: str
    grade: str = "C"


@dataclass
class Loan:
    """One row of LN_MASTER."""

    loan_no: str
    cust_no: str
    principal: int
    rate: float
    collateral: str | None = None
