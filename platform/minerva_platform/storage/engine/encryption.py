"""Values encrypted at rest: each by itself, by AES-GCM, with a key of the environment.

A value says by which key it is encrypted, so a store can be read while it is turned to another key.
It is bound to its place: a value that somebody moves to another column, or another file, is none.
"""

import base64
import binascii
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

MARK: Final = b"\x02"
"""What an encrypted value begins with. JSON, zlib's bytes, packed bytes and names never do."""
_CIPHER: Final = "minerva"
_KEY_BYTES: Final = 32
_ID_BYTES: Final = 8
_NONCE_BYTES: Final = 12
_HEAD: Final = len(MARK) + _ID_BYTES


@dataclass(frozen=True, slots=True)
class StorageKey:
    """A key, and the id by which values name it."""

    id: str
    secret: bytes = field(repr=False)
    cipher: "AESGCM" = field(repr=False)

    def seal(self, data: bytes, place: str, *, is_name: bool = False) -> bytes:
        """Return `data` encrypted for `place`; a name always in the same form, so it is found."""
        nonce = os.urandom(_NONCE_BYTES)
        if is_name:
            named = b"name\0" + place.encode() + b"\0" + data
            nonce = hmac.digest(self.secret, named, "sha256")[:_NONCE_BYTES]
        return MARK + bytes.fromhex(self.id) + nonce + self.cipher.encrypt(nonce, data, _at(place))

    def unseal(self, data: bytes, place: str) -> bytes:
        """Return what `seal` was given.

        Raises:
            ValueError: it was changed, or comes from another place.
        """
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415  # an extra

        try:
            nonce = data[_HEAD : _HEAD + _NONCE_BYTES]
            return self.cipher.decrypt(nonce, data[_HEAD + _NONCE_BYTES :], _at(place))
        except InvalidTag as error:
            message = f"an encrypted value of {place} was changed"
            raise ValueError(message) from error


@dataclass(frozen=True, slots=True)
class Keyring:
    """The keys of the environment; also a cipher for LangGraph's `EncryptedSerializer`."""

    current: StorageKey | None = None
    """By which values are encrypted; None: they are kept as plain text."""
    keys: Mapping[str, StorageKey] = field(default_factory=dict[str, StorageKey])
    """All of them, by their ids."""

    def seal(self, data: bytes, place: str, *, is_name: bool = False) -> bytes:
        """Return `data` as it is kept in `place`: encrypted, if there is a key."""
        return self.current.seal(data, place, is_name=is_name) if self.current else data

    def unseal(self, data: bytes, place: str) -> bytes:
        """Return `data` in plain text, whether or not it is encrypted; if damaged, as it is.

        Raises:
            UnreadableKeyError: it is encrypted by a key that is not in the environment.
        """
        if data[:1] != MARK:
            return data
        try:
            return self.key_of(data).unseal(data, place)
        except ValueError:
            return data

    def key_of(self, data: bytes) -> StorageKey:
        """Return the key by which `data` is encrypted.

        Raises:
            UnreadableKeyError: it is not in the environment.
        """
        key_id = data[len(MARK) : _HEAD].hex()
        if key_id not in self.keys:
            raise UnreadableKeyError(key_id, KEY_VARIABLE, EARLIER_VARIABLE)
        return self.keys[key_id]

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        """Encrypt for a checkpointer of LangGraph's, as its `CipherProtocol` says.

        Raises:
            SettingsError: the environment has no key.
        """
        if self.current is None:
            message = f"{KEY_VARIABLE} is not set. To make a key: {NEW_KEY}"
            raise SettingsError(message)
        return _CIPHER, self.current.seal(plaintext, _CIPHER)

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        """Return what `encrypt` was given.

        Raises:
            UnreadableKeyError: the key is not in the environment.
            ValueError: it was changed, or another cipher made it.
        """
        return self.key_of(ciphertext).unseal(ciphertext, ciphername)

    def seal_content(self, data: bytes, sha256: str) -> bytes:
        """Return the content of a file as it is kept under its sha-256."""
        return self.seal(data, sha256)

    def unseal_content(self, data: bytes, sha256: str) -> bytes:
        """Return the content that is kept under `sha256`; one of plain text may begin anyhow."""
        if data[:1] != MARK or hashlib.sha256(data).hexdigest() == sha256:
            return data
        return self.unseal(data, sha256)


def keyring() -> Keyring:
    """Return the keys of the environment; the same object for as long as they are the same.

    Raises:
        SettingsError: a variable holds no key, or the library is not installed.
    """
    return _read_keys(os.environ.get(KEY_VARIABLE, ""), os.environ.get(EARLIER_VARIABLE, ""))


@lru_cache(maxsize=4)
def _read_keys(current: str, earlier: str) -> Keyring:
    first = _read_key(current, KEY_VARIABLE) if current.strip() else None
    others = [_read_key(each, EARLIER_VARIABLE) for each in earlier.split(",") if each.strip()]
    return Keyring(first, {key.id: key for key in (*others, *([first] if first else ()))})


def _read_key(text: str, variable: str) -> StorageKey:
    try:
        secret = base64.b64decode(text.strip(), validate=True)
    except binascii.Error:
        secret = b""
    if len(secret) != _KEY_BYTES:
        message = (
            f"{variable} holds no key: write 32 random bytes in base64. To make one: {NEW_KEY}"
        )
        raise SettingsError(message)
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415  # an extra
    except ImportError as error:
        command = install_package_command("minerva-platform[encryption]")
        message = f"{variable} is set, and encryption needs a library. Type: {command}"
        raise SettingsError(message) from error
    key_id = hmac.digest(secret, b"minerva storage key", "sha256")[:_ID_BYTES]
    return StorageKey(key_id.hex(), secret, AESGCM(secret))


def _at(place: str) -> bytes:
    return place.encode()
