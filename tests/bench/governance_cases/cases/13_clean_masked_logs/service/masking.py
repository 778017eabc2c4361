import hashlib
import hmac
import os

_KEY = os.environ.get("PSEUDO_KEY", "dev-only").encode()


def mask_phone(value: str) -> str:
    return value[:3] + "-****-" + value[-2:]


def pseudonym(value: str) -> str:
    return hmac.new(_KEY, value.encode(), hashlib.sha256).hexdigest()[:16]
