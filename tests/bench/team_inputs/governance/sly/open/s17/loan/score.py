from loan.util import timed


@timed
def score(name, birth_date, income, phone):
    base = 600 if income > 30000 else 450
    return base + (20 if phone else 0)
