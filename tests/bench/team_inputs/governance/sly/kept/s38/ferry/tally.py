from collections import Counter


def by_deck(seats):
    return Counter(seat[0] for seat in seats)
