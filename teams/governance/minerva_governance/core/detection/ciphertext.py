"""Values that are out of sight (encrypted, hashed, masked), and values that are only encoded.

Base64, hexadecimal and compression hide nothing: what they encode is looked at like the value. What
cannot be decoded to text and has the form of a cipher's or a hash's output counts as out of sight.
"""

import base64
import binascii
import re
import zlib

_MIN_CHARACTERS = 12
"""Of a cipher's output: the shortest blocks in use, eight bytes, are twelve letters in base64."""
_WRITTEN_OUT = re.compile(
    rf"[A-Za-z0-9+/_=.:$-]{{{_MIN_CHARACTERS},}}|\\x[0-9A-Fa-f]{{{_MIN_CHARACTERS},}}"
)
_MASKED = re.compile(r"[*•●#]{3,}|[xX]{4,}")
_BASE64 = re.compile(rf"[A-Za-z0-9+/_-]{{{_MIN_CHARACTERS},}}={{0,2}}")
_HEX = re.compile(r"(?:0x|\\x)?((?:[0-9A-Fa-f]{2}){6,})")

_ARCHIVE_HEADS = (b"\x1f\x8b\x08", b"\x78\x01", b"\x78\x9c", b"\x78\xda")
"""How gzip (RFC 1952) and zlib (RFC 1950) begin."""
_MAX_UNPACKED = 4_096

_CIPHER_BYTES = 16
"""Of the shortest ciphertext: a block of AES. Format-preserving encryption is told by no type."""
_SIZED = re.compile(
    r"\s*(?:N?(?:VAR)?CHAR2?|CHARACTER(?:\s+VARYING)?|(?:VAR)?BINARY|RAW)\s*\(\s*(\d+)",
    re.IGNORECASE,
)
_NUMBER_OR_TIME = re.compile(
    r"\s*(?:NUMBER|NUMERIC|DEC(?:IMAL)?|(?:BIG|SMALL|TINY|MEDIUM)?INT(?:EGER)?|FLOAT|DOUBLE|REAL"
    r"|DATE|TIME)",
    re.IGNORECASE,
)


def may_hold_cipher(data_type: str) -> bool:
    """True if a column of this SQL type has room for a ciphertext; of a type not known, too."""
    sized = _SIZED.match(data_type)
    if sized is not None:
        return int(sized.group(1)) >= _CIPHER_BYTES
    return _NUMBER_OR_TIME.match(data_type) is None


def is_out_of_sight(value: str) -> bool:
    """True if `value` reads like a cipher, a hash or a mask, and decodes to no text."""
    value = value.strip()
    if _MASKED.search(value):
        return True
    if not _WRITTEN_OUT.fullmatch(value) or decode(value) is not None:
        return False
    # Numbers and words are no ciphers; a cipher's text mixes letters of both cases or digits.
    has_digit = any(letter.isdigit() for letter in value)
    has_letter = any(letter.isalpha() for letter in value)
    return has_letter and (has_digit or (value.lower() != value and value.upper() != value))


def decode(value: str) -> str | None:
    """Return the text that base64 or hexadecimal `value` encodes, None if it encodes none."""
    value = value.strip()
    if not value.isascii() or " " in value:
        return None
    hexadecimal = _HEX.fullmatch(value)
    if hexadecimal and not value.isdigit():
        return _to_text(bytes.fromhex(hexadecimal[1]))
    if not _BASE64.fullmatch(value) or value.isdigit() or value.isalpha():
        return None
    plain = value.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        return _to_text(base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True))
    except (binascii.Error, ValueError):
        return None


def _to_text(data: bytes) -> str | None:
    if data.startswith(_ARCHIVE_HEADS):
        try:  # of a hostile cell no more than a cell is unpacked
            data = zlib.decompressobj(wbits=47).decompress(data, _MAX_UNPACKED)
        except zlib.error:
            return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() else None
