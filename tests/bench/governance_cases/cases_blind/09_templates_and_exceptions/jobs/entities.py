from dataclasses import dataclass


@dataclass
class Subscriber:
    subscriber_id: int
    surname: str
    email: str
    phone: str
    resident_number: str
