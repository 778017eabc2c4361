from typing import Any

from app.models import Prescription

TOTAL = """
    SELECT SUM(PRSC_AMT)
      FROM TB_PRESCRIPTION
     WHERE PT_ID = :pt_id AND PRSC_DT BETWEEN :start_dt AND :end_dt
"""


class PrescriptionService:
    """Amounts of prescriptions."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def total(self, pt_id: str, start_dt: str, end_dt: str) -> int:
        row = self.connection.execute(
            TOTAL, {"pt_id": pt_id, "start_dt": start_dt, "end_dt": end_dt}
        ).fetchone()
        return row[0] or 0

    def unit_price(self, prescription: Prescription) -> float:
        if prescription.qty == 0:
            return 0.0
        return prescription.prsc_amt / prescription.qty
