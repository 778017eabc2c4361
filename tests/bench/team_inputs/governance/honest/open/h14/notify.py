import os

import requests

GATE = os.environ.get("SMS_GATE", "https://sms.example.com/send")


def arrived(rcvr_nm, rcvr_tel, invoice_no):
    """배송 완료 문자를 보낸다."""
    text = f"{rcvr_nm}님, 운송장 {invoice_no} 배송이 끝났습니다."
    answer = requests.post(GATE, json={"to": rcvr_tel, "text": text}, timeout=5)
    print("문자 발송", rcvr_nm, rcvr_tel, answer.status_code)
    return answer.ok
