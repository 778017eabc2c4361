import mes.lot

LIMIT = 0.03

def judge(lot):
    if lot.qty == 0:
        return "HOLD"
    if lot.ng_qty / lot.qty > LIMIT:
        return "NG"
    return "OK"
