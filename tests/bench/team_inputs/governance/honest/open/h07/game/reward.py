# 출석 보상 지급
import logging

logger = logging.getLogger("dalbit.reward")

ATTENDANCE = {1: "GOLD0100", 3: "GOLD0300", 7: "BOX00001"}


def grant(cursor, member_seq, days):
    """연속 출석일에 맞는 아이템을 준다."""
    item_code = ATTENDANCE.get(days)
    if item_code is None:
        return False
    cursor.execute(
        "INSERT INTO tb_item_log (member_seq, item_code, qty) VALUES (%s, %s, 1)", (member_seq, item_code)
    )
    logger.info("보상 지급 item=%s days=%d", item_code, days)
    return True


def change_email(cursor, member_seq, email):
    if "@" not in email:
        raise ValueError("이메일 형식이 아닙니다")
    cursor.execute("UPDATE tb_member SET email = %s WHERE member_seq = %s", (email, member_seq))
    logger.info("이메일 변경 완료")
