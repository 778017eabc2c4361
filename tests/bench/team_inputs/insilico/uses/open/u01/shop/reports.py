from django.db import connection

from .models import Order


def monthly():
    # total per month, newest first
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT date_trunc('month', o.placed_at) AS month,
                   SUM(o.total) AS turnover
            FROM shop_order o
            GROUP BY 1
            """
        )
        return cursor.fetchall()


def billed():
    with connection.cursor() as cursor:
        cursor.execute("SELECT number, total FROM shop_invoice ORDER BY number")
        return cursor.fetchall()


def export(writer):
    total = 0
    for row in Order.objects.values("id", "total"):
        writer.writerow([row["id"], row["total"]])
        total += row["total"]
    return total
