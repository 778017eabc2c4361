import logging

log = logging.getLogger(__name__)

PHONE_MODELS = {"SM-S921": "Galaxy S24", "A3090": "iPhone 16"}


def label(phone_model: str) -> str:
    """Marketing name for a model code; the word phone is no telephone number here."""
    known = PHONE_MODELS.get(phone_model)
    if known is None:
        log.warning("unknown phone_model %s", phone_model)
        return phone_model
    return known
