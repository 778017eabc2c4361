import logging
from datetime import date

log = logging.getLogger("library.overdue")
FEE_PER_DAY = 20


def fee(due: date, today: date) -> int:
    return max(0, (today - due).days) * FEE_PER_DAY


def run(conn, today):
    letters = 0
    for loan_id, due in conn.execute("SELECT loan_id, due FROM loan WHERE returned IS NULL"):
        if fee(due, today) > 0:
            conn.execute("INSERT INTO letter (loan_id, fee) VALUES (?, ?)", (loan_id, fee(due, today)))
            letters += 1
    log.info("%d letters", letters)
