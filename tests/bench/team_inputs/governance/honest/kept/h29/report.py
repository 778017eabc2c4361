"""월간 상담 통계."""
from collections import Counter


def monthly(rows):
    return Counter(row["상담유형"] for row in rows)


def show(rows):
    for kind, count in monthly(rows).most_common():
        print(kind, count)
