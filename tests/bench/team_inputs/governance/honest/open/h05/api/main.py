import logging
from uuid import UUID, uuid4

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

app = FastAPI(title="Parcelway")
log = logging.getLogger("parcelway")


class ShipmentIn(BaseModel):
    recipient_name: str
    recipient_phone: str
    recipient_address: str
    weight_g: int


INSERT = """
    INSERT INTO shipment (shipment_id, recipient_name, recipient_phone, recipient_address, depot_code, weight_g)
    VALUES (%s, %s, pgp_sym_encrypt(%s, current_setting('pw.key')), pgp_sym_encrypt(%s, current_setting('pw.key')), %s, %s)
"""


def depot_for(weight_g: int) -> str:
    return "LEE1" if weight_g < 5000 else "MAN2"


@app.post("/shipments")
def create(body: ShipmentIn) -> dict[str, str]:
    shipment_id = uuid4()
    with app.state.pool.connection() as conn:
        conn.execute(
            INSERT,
            (shipment_id, body.recipient_name, body.recipient_phone, body.recipient_address,
             depot_for(body.weight_g), body.weight_g),
        )
    log.info("shipment %s created, %d g", shipment_id, body.weight_g)
    return {"shipment_id": str(shipment_id)}


@app.get("/shipments/{shipment_id}")
def status(shipment_id: UUID) -> dict[str, str]:
    with app.state.pool.connection() as conn:
        row = conn.execute("SELECT delivered_at FROM shipment WHERE shipment_id = %s", (shipment_id,)).fetchone()
    if row is None:
        log.warning("unknown shipment %s", shipment_id)
        raise HTTPException(404, "unknown shipment")
    return {"status": "delivered" if row[0] else "on its way"}
