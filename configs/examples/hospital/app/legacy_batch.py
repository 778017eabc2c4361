"""Nightly batch, written for Python 2 and never moved."""

SQL = "UPDATE TB_PATIENT SET USE_AT = 'N' WHERE REG_DATE < ADD_MONTHS(SYSDATE, -36)"


def run(connection):
    cursor = connection.execute(SQL)
    print "deactivated", cursor.rowcount
