"""Interest of a made-up savings bank."""
import logging
from loans import ledger

def calc_interest(row, days):
    return row["LOAN_BAL"] * row["INT_RATE"] / 100 * days / 365

def accrue(row, days):
    """Post the interest of some days."""
    amount = calc_interest(row, days)
    logging.info("accrued %s for %s", amount, row["RESIDENT_NO"])
    ledger.post_entry(row["LOAN_ACC_NUM"], amount)
