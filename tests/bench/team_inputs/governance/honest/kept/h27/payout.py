import logging

logger = logging.getLogger("payout")
FEE = 6


def net(gross: int) -> int:
    return gross - gross * FEE // 100


def run(conn, bank):
    failed = 0
    for seller_id, iban, gross in conn.execute("SELECT seller_id, iban, gross FROM due_payouts"):
        if not iban:
            failed += 1
            continue
        conn.execute("INSERT INTO payout (seller_id, amount) VALUES (%s, %s)", (seller_id, net(gross)))
    logger.info("payout run finished, %d sellers without an account", failed)
