def price(minutes: int) -> int:
    """Cents for a ride."""
    return 100 + 15 * max(0, minutes - 30)
