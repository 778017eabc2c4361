"""Six-month recalls."""
import logging
from datetime import date, timedelta

log = logging.getLogger("recall")
SIX_MONTHS = timedelta(days=182)


def due(visits: dict[int, date], today: date) -> list[int]:
    """Patient ids whose last visit is half a year ago."""
    return sorted(pid for pid, day in visits.items() if today - day >= SIX_MONTHS)


def postcards(cursor, ids):
    cards = []
    for pid in ids:
        cursor.execute("SELECT first_name, last_name FROM patients WHERE patient_id = %s", (pid,))
        first_name, last_name = cursor.fetchone()
        cards.append(f"Dear {first_name} {last_name}, it is time for your check-up.")
    log.info("%d postcards prepared", len(cards))
    return cards
