"""Write claims_export.csv for the reinsurer, without names."""
import csv
import sys

FIELDS = ["claim_ref", "sex", "birth_decade", "region", "claim_kind", "amount_usd"]


def decade(year: int) -> str:
    return f"{year // 10 * 10}s"


def main(connection, path: str) -> None:
    rows = connection.execute("SELECT claim_ref, sex, birth_year, region, claim_kind, amount_usd FROM claims")
    count = 0
    with open(path, "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(FIELDS)
        for ref, sex, birth_year, region, kind, amount in rows:
            writer.writerow([ref, sex, decade(birth_year), region, kind, amount])
            count += 1
    print(f"{count} claims written")
