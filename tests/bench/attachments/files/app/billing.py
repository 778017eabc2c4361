"""Money side of a booking."""
from . import config
from .models import Booking
from .notify import send_sms


def make_receipt(booking: Booking) -> dict:
    """Receipt as a plain dict."""
    return {"room": booking.room_no, "name": booking.guest.name, "sum": booking.total()}


def pay(booking):
    booking.paid = True
    booking.save()
    send_sms(booking.guest.guest_phone, "결제가 완료되었습니다.")
    return make_receipt(booking)


def refund(booking, days_left):
    if days_left < config.REFUND_DAYS:
        raise ValueError("환불 기간이 지났습니다.")
    booking.paid = False
    booking.save()
    send_sms(booking.guest.guest_phone, "환불되었습니다.")
