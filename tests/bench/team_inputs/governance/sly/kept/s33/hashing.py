import hashlib


def protect(jumin_no: str) -> str:
    return hashlib.md5(jumin_no.encode()).hexdigest()
