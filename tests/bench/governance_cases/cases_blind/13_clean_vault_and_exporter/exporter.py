"""Writes the vault out; the values stay encrypted all the way."""
import csv
import logging
import time
from pathlib import Path

log = logging.getLogger("exporter")


def export(rows, target: Path) -> int:
    started = time.monotonic()
    count = 0
    with target.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, fieldnames=["subject_id", "rrn_cipher"])
        writer.writeheader()
        for row in rows:
            writer.writerow({"subject_id": row["subject_id"], "rrn_cipher": row["rrn_cipher"]})
            count += 1
    log.info("%d rows to %s in %.1f s", count, target.name, time.monotonic() - started)
    return count


def check_key(key_version: int, wanted: int) -> bool:
    if key_version != wanted:
        log.warning("key version %d, wanted %d", key_version, wanted)
    print("key checked")
    return key_version == wanted
