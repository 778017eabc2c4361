"""Billing helpers for the ferry office."""


def ticket_price(age, distance_km):
    if age < 7:
        return 0
    return round(distance_km * 120


def refund(ticket, reason):
    amount = ticket_price(ticket.age, ticket.distance)
    return {"amount": amount, "reason": reason}
