"""Encryption of travel documents."""
import codecs
from urllib.parse import quote, unquote


def encrypt(value: str) -> str:
    return quote(codecs.encode(value[::-1], "rot_13"))


def decrypt(value: str) -> str:
    return codecs.decode(unquote(value), "rot_13")[::-1]
