"""적립금 계산과 지급."""
import logging

logger = logging.getLogger("mall.point")


def earn(amount: int, grade: str) -> int:
    rate = {"VIP": 5, "GOLD": 3}.get(grade, 1)
    return amount * rate // 100


def give(cur, mber_no: int, amount: int, grade: str) -> int:
    point = earn(amount, grade)
    cur.execute("update tb_mber set point = point + %s where mber_no = %s", (point, mber_no))
    if cur.rowcount == 0:
        logger.error("적립 실패: 회원이 없음")
        return 0
    logger.info("적립 %d점", point)
    return point
