from flask import Blueprint, jsonify, request

from . import billing
from .models import Booking, Guest
from .utils import mask_name

bp = Blueprint("main", __name__)


@bp.post("/bookings")
def create_booking():
    data = request.get_json()
    guest = Guest(data["name"], data["phone"], data.get("birth"), data.get("rrn"))
    booking = Booking(guest, data["room"], int(data["nights"])).save()
    return jsonify(name=mask_name(booking.guest.name))


@bp.post("/pay")
def pay_view():
    booking = Booking(Guest("-", "-"), "0", 1)
    return jsonify(billing.pay(booking))
