import re


def normalize_phone(raw):
    """Digits only."""
    return re.sub(r"\D", "", raw or "")


def mask_name(name):
    return name[:1] + "*" * (len(name) - 1)
