"""Take the register and write the release for the research office."""
import csv
import logging

logger = logging.getLogger("release")
KEEP = ("programme", "year", "first_generation", "credits", "gpa")


def strip(row):
    return {key: row[key] for key in KEEP}


def main(source, target):
    with open(source, newline="", encoding="utf-8") as stream:
        rows = [strip(row) for row in csv.DictReader(stream)]
    with open(target, "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, fieldnames=KEEP)
        writer.writeheader()
        writer.writerows(rows)
    logger.info("%d rows released", len(rows))
