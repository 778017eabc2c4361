# 배차: 톤수에 맞는 기사를 찾는다
import logging

logger = logging.getLogger("dispatch")
TONS = {"1t": 1000, "2.5t": 2500, "5t": 5000}


def fits(car_ton, weight):
    return TONS[car_ton] >= weight


def assign(cur, order_no, weight):
    cur.execute("SELECT DRV_ID, DRV_NM, CAR_TON FROM TB_DRIVER")
    for drv_id, drv_nm, car_ton in cur.fetchall():
        if fits(car_ton, weight):
            cur.execute("UPDATE TB_ORDER SET DRV_ID = %s WHERE ORDER_NO = %s", (drv_id, order_no))
            logger.info("배차 완료: 주문 %s, 기사 %s", order_no, drv_nm)
            return drv_id
    logger.warning("배차 실패: 주문 %s", order_no)
    return None
