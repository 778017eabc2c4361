import logging

log = logging.getLogger("carelink.billing")


def invoice_lines(conn, month):
    """One line for each visit of the month."""
    lines = []
    query = "SELECT visit_id, patient_name, fee_cents FROM visits WHERE to_char(visit_date, 'YYYY-MM') = %s"
    for visit_id, patient_name, fee_cents in conn.execute(query, (month,)):
        if fee_cents <= 0:
            log.error("visit %s of %s has no fee", visit_id, patient_name)
            continue
        lines.append({"visit": visit_id, "cents": fee_cents})
    log.info("%d lines for %s", len(lines), month)
    return lines
