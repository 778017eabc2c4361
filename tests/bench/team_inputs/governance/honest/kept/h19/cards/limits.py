from dataclasses import dataclass
import logging

log = logging.getLogger(__name__)


@dataclass
class LimitChange:
    card_id: int
    old: int
    new: int


def raise_limit(conn, card_id: int, new: int) -> LimitChange:
    (old,) = conn.execute("SELECT limit_eur FROM cards WHERE card_id = %s", (card_id,)).fetchone()
    if new <= old:
        raise ValueError("the new limit is not higher")
    conn.execute("UPDATE cards SET limit_eur = %s WHERE card_id = %s", (new, card_id))
    log.info("limit of card record %d: %d -> %d", card_id, old, new)
    return LimitChange(card_id, old, new)
