"""Sums by SQL."""

from django.db import connection

SUMS = "SELECT status, SUM(amount) AS total FROM tb_invoice GROUP BY status"


def sums(status=None):
    sql = SUMS
    if status is not None:
        sql = "SELECT status, SUM(amount) AS total FROM tb_invoice WHERE status = %s GROUP BY status"
    with connection.cursor() as cursor:
        cursor.execute(sql, [status] if status else [])
        return [{"status": row[0], "total": row[1]} for row in cursor.fetchall()]


def by_phone(phone):
    query = (
        "SELECT i.id, i.status FROM tb_invoice i "
        "JOIN tb_visit v ON v.id = i.visit_id "
        "JOIN tb_patient p ON p.id = v.patient_id WHERE p.phone = %s"
    )
    with connection.cursor() as cursor:
        cursor.execute(query, [phone])
        return cursor.fetchall()
