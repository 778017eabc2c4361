#!/usr/bin/env python3
"""Month end of the insurance desk: reads the claims, pays them, writes a report."""
import argparse
import hashlib
import json
import logging
import sqlite3
import sys
import urllib.request
from dataclasses import dataclass, field
from datetime import date

import structlog

LOG = logging.getLogger("month_end")
AUDIT = structlog.get_logger("audit")
PARTNER = "https://claims.partner-re.example.net/inbox"
SQL = """
    SELECT c.claim_no, c.amount, c.diagnosis,
           p.policy_no, p.surname, p.email, p.phone, p.resident_number
      FROM claim c JOIN person p ON p.policy_no = c.policy_no
     WHERE c.month = ? ORDER BY c.claim_no
"""


@dataclass
class Person:
    policy_no: str
    surname: str
    email: str
    phone: str
    resident_number: str


@dataclass
class Claim:
    claim_no: int
    amount: int
    diagnosis: str
    person: Person
    remarks: list[str] = field(default_factory=list)


class Rejected(RuntimeError):
    """The claim cannot be paid."""


def read(db: str, month: str) -> list[Claim]:
    claims = []
    with sqlite3.connect(db) as con:
        for no, amount, diagnosis, *person in con.execute(SQL, (month,)):
            claims.append(Claim(no, amount, diagnosis, Person(*person)))
    LOG.info("%d claims of %s", len(claims), month)
    return claims


def shorten(text: str, width: int = 40) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


def stars(text: str) -> str:
    return text[0] + "*" * (len(text) - 1)


def check(claim: Claim) -> None:
    person = claim.person
    LOG.info("checking", extra={"claim": claim.claim_no, "surname": person.surname})
    if claim.amount > 50_000_000:
        raise Rejected(f"too much for {person.resident_number}")
    if not claim.diagnosis:
        LOG.warning("claim %s has no diagnosis code", claim.claim_no)


def forward(claim: Claim) -> int:
    data = json.dumps({"no": claim.claim_no, "finding": claim.diagnosis}).encode()
    request = urllib.request.Request(PARTNER, data=data, method="POST")
    with urllib.request.urlopen(request, timeout=10) as answer:
        AUDIT.info("forwarded", code=answer.status, insured=claim.person.resident_number)
        return answer.status


def pay(claim: Claim, report) -> None:
    person = claim.person
    LOG.debug(person.email)
    finding = claim.diagnosis
    text = finding.lower()
    LOG.info("paying for %s", text)
    LOG.info(f"paid {claim.amount} to {person.phone}")
    report.write(f"{claim.claim_no};{person.surname};{claim.amount}\n")
    LOG.info("note: %s", shorten(person.email.lower(), 30))
    LOG.info("payee %s", stars(person.surname))
    short = hashlib.blake2b(person.resident_number.encode(), key=b"m-end", digest_size=8).hexdigest()
    LOG.info("payee key %s", short)


def main(argv=None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("db")
    parser.add_argument("--month", default=date.today().strftime("%Y-%m"))
    parser.add_argument("--dry-run", action="store_true")
    args = parser.parse_args(argv)
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    claims = read(args.db, args.month)
    failed = 0
    with open(f"report-{args.month}.csv", "w", encoding="utf-8") as report:
        for claim in claims:
            try:
                check(claim)
            except Rejected:
                failed += 1
                print(claim)
                continue
            if args.dry_run:
                print("would pay", claim.person.phone)
                continue
            forward(claim)
            pay(claim, report)
    if not claims:
        LOG.warning("nothing to do; try the sample policy holder, 010-4821-7730")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
