"""Reports, in SQL where the ORM is slow."""

from django.db import connection
from django.db.models.expressions import RawSQL

from patients.models import Patient, Visit

BY_STATUS = """
    SELECT p.status, COUNT(*) AS total
      FROM tb_patient p
     GROUP BY p.status
"""

OPEN_VISITS = (
    "SELECT v.id, v.started_at, p.phone "
    "FROM tb_visit v JOIN tb_patient p ON p.id = v.patient_id "
    "WHERE v.ended_at IS NULL AND p.status = %s"
)


def by_status():
    with connection.cursor() as cursor:
        cursor.execute(BY_STATUS)
        return dict(cursor.fetchall())


def open_visits(status="active"):
    with connection.cursor() as cursor:
        cursor.execute(OPEN_VISITS, [status])
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor.fetchall()]


def birthdays(month):
    return Patient.objects.raw(
        "SELECT id, name, birth_date FROM tb_patient WHERE EXTRACT(MONTH FROM birth_date) = %s",
        [month],
    )


def by_decade():
    return Patient.objects.extra(
        select={"decade": "EXTRACT(DECADE FROM birth_date)"},
        where=["birth_date IS NOT NULL"],
    )


def doctors_present():
    with connection.cursor() as cursor:
        cursor.execute("SELECT id, status, phone FROM tb_doctor WHERE status = 'present'")
        return cursor.fetchall()


def visits_of(doctor_id, order="started_at"):
    sql = f"SELECT id, patient_id FROM tb_visit WHERE doctor_id = %s ORDER BY {order}"
    with connection.cursor() as cursor:
        cursor.execute(sql, [doctor_id])
        return cursor.fetchall()


def unpaid():
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT i.id, i.amount, p.phone
              FROM tb_invoice i
              JOIN tb_visit v ON v.id = i.visit_id
              JOIN tb_patient p ON p.id = v.patient_id
             WHERE i.status <> %s
               AND v.started_at < now()
            """,
            ["paid"],
        )
        return cursor.fetchall()


def close_old():
    with connection.cursor() as cursor:
        cursor.execute("UPDATE tb_patient SET status = 'closed' WHERE birth_date < '1900-01-01'")


def with_rank():
    return Visit.objects.annotate(
        rank=RawSQL("ROW_NUMBER() OVER (PARTITION BY doctor_id ORDER BY started_at)", [])
    )
