"""Values encrypted at rest: each by itself, by AES-GCM, with a key of the environment.

A value says by which key it is encrypted, so a store can be read while it is turned to another key.
It is bound to its place: a value that somebody moves to another column, or another file, is none.
"""

import base64
import hashlib
import hmac
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from minerva_observability.sinks.jsonl import STORAGE_KEY_VARIABLE
from minerva_platform.errors import SettingsError, UnreadableKeyError
from minerva_platform.text.command_hint import install_package_command

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_VARIABLE: Final = STORAGE_KEY_VARIABLE
EARLIER_VARIABLE: Final = "MINERVA_STORAGE_KEY_BEFORE"
"""Keys by which values may still be encrypted, separated by commas."""
NEW_KEY: Final = "openssl rand -base64 32"
"""The command that makes a key."""
PLAIN: Final = ""
"""Stands for plain text among the ids of keys."""
MARK: Final = b"\x02"
"""What an encrypted value begins with. JSON, zlib's bytes, packed bytes and names never do."""

_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_ID: Final = slice(1, 9)
_NONCE: Final = slice(9, 9 + _NONCE_BYTES)
_DATA: Final = slice(9 + _NONCE_BYTES, None)
_CIPHER: Final = "minerva"


@dataclass(frozen=True, slots=True)
class Keyring:
    """The keys of the environment; also a cipher for LangGraph's `EncryptedSerializer`."""

    current: str
    """The id of the key by which values are encrypted; `PLAIN` if there is none."""
    keys: Mapping[str, tuple[bytes, "AESGCM"]] = field(repr=False)
    """All keys, by their ids."""

    def seal(self, data: bytes, place: str, *, is_name: bool = False) -> bytes:
        """Return `data` as it is kept in `place`: encrypted, if there is a key.

        A name is always encrypted to the same, so that it is found.
        """
        if not self.current:
            return data
        secret, cipher = self.keys[self.current]
        nonce = os.urandom(_NONCE_BYTES)
        if is_name:
            nonce = hmac.digest(secret, f"{place}\0".encode() + data, "sha256")[:_NONCE_BYTES]
        return MARK + bytes.fromhex(self.current) + nonce + cipher.encrypt(nonce, data, _at(place))

    def unseal(self, data: bytes, place: str) -> bytes:
        """Return `data` in plain text, whether or not it is encrypted; if damaged, as it is.

        Raises:
            UnreadableKeyError: it is encrypted by a key that is not in the environment.
        """
        try:
            return data if data[:1] != MARK else self.decrypt(place, data)
        except ValueError:
            return data

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        """Encrypt for a checkpointer of LangGraph's, as its `CipherProtocol` says."""
        return _CIPHER, self.seal(plaintext, _CIPHER)

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        """Return what was encrypted for a place.

        Raises:
            UnreadableKeyError: the key is not in the environment.
            ValueError: it was changed, or comes from another place.
        """
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415  # an extra

        key_id = ciphertext[_ID].hex()
        if key_id not in self.keys:
            raise UnreadableKeyError(key_id, KEY_VARIABLE, EARLIER_VARIABLE)
        cipher = self.keys[key_id][1]
        try:
            return cipher.decrypt(ciphertext[_NONCE], ciphertext[_DATA], _at(ciphername))
        except InvalidTag as error:
            message = f"an encrypted value of {ciphername} was changed"
            raise ValueError(message) from error

    def seal_content(self, data: bytes, sha256: str) -> bytes:
        """Return the content of a file as it is kept under its sha-256."""
        return self.seal(data, sha256)

    def unseal_content(self, data: bytes, sha256: str) -> bytes:
        """Return the content that is kept under `sha256`; one of plain text may begin anyhow."""
        is_plain = data[:1] != MARK or hashlib.sha256(data).hexdigest() == sha256
        return data if is_plain else self.unseal(data, sha256)


def keyring() -> Keyring:
    """Return the keys of the environment; the same object for as long as they are the same.

    Raises:
        SettingsError: a variable holds no key, or the library is not installed.
    """
    return _read_keys(os.environ.get(KEY_VARIABLE, ""), os.environ.get(EARLIER_VARIABLE, ""))


@lru_cache(maxsize=4)
def _read_keys(current: str, earlier: str) -> Keyring:
    keys = dict(_read_key(each, EARLIER_VARIABLE) for each in earlier.split(",") if each.strip())
    if not current.strip():
        return Keyring(PLAIN, keys)
    key_id, key = _read_key(current, KEY_VARIABLE)
    return Keyring(key_id, {**keys, key_id: key})


def _read_key(text: str, variable: str) -> tuple[str, tuple[bytes, "AESGCM"]]:
    """Return a key with its id, from which nobody learns the key."""
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415  # an extra
    except ImportError as error:
        command = install_package_command("minerva-platform[encryption]")
        message = f"{variable} is set, and encryption needs a library. Type: {command}"
        raise SettingsError(message) from error
    try:
        secret = base64.b64decode(text.strip(), validate=True)
    except ValueError:
        secret = b""
    if len(secret) != _KEY_BYTES:
        remedy = f"Set it to the key of the store. To make a first one, type: {NEW_KEY}"
        if variable == EARLIER_VARIABLE:
            remedy = "Set it to keys of before, with commas between, or unset it."
        message = f"{variable} holds no key of 32 bytes in base64. {remedy}"
        raise SettingsError(message)
    key_id = hmac.digest(secret, b"the id of a storage key", "sha256")[:8].hex()
    return key_id, (secret, AESGCM(secret))


def _at(place: str) -> bytes:
    return place.encode()
