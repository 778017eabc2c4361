"""이자 계산 배치. 매일 새벽 두 시에 돈다."""
import logging
from decimal import Decimal

logger = logging.getLogger("batch.interest")
RATE = Decimal("0.0325")


def daily(balance: Decimal) -> Decimal:
    return (balance * RATE / 365).quantize(Decimal("0.01"))


def run(conn) -> int:
    done = 0
    for acct_seq, balance in conn.execute("select acct_seq, balance from balance"):
        conn.execute("update balance set interest = interest + %s where acct_seq = %s", (daily(balance), acct_seq))
        done += 1
    logger.info("이자 계산 %d건 완료", done)
    return done
