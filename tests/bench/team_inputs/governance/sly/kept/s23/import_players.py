import csv
from datetime import date, timedelta

EPOCH = date(1899, 12, 30)


def years(row, today):
    """Age for the youth filter; c7 comes from the old spreadsheet."""
    return (today - (EPOCH + timedelta(days=int(row["c7"])))).days // 365


def minors(path, today):
    with open(path, newline="") as stream:
        return [row["uid"] for row in csv.DictReader(stream) if years(row, today) < 16]
