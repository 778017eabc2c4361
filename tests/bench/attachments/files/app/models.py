from dataclasses import dataclass, field

_rows = []


@dataclass
class Guest:
    name: str
    guest_phone: str
    birth_date: str = ""
    resident_no: str = ""


@dataclass
class Booking:
    guest: Guest
    room_no: str
    nights: int
    paid: bool = False
    notes: list = field(default_factory=list)

    def save(self):
        """Keep the booking in memory."""
        _rows.append(self)
        return self

    def total(self):
        return self.nights * 70000
