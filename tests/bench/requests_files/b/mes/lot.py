from dataclasses import dataclass
from mes import quality

@dataclass
class Lot:
    lot_no: str
    line_cd: str
    qty: int
    ng_qty: int = 0

    def release(self):
        return quality.judge(self) == "OK"
