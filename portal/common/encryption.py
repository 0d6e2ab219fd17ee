"""Secrets at rest: encrypted with a key that can be changed while the portal runs.

The first configured key encrypts, every key decrypts. A new key is put first, `rotate` writes each
value again, and then the old key can go.
"""

import base64
from typing import Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from portal.common.site_config import get_site_config

_PURPOSE: Final = b"berth stored secrets"
"""Separates these keys from others that are derived from the same text."""
_KEY_BYTES: Final = 32


class UndecryptableError(Exception):
    """A stored value was encrypted with a key that is no longer configured, or is damaged."""


def encrypt(text: str) -> str:
    """Return the text encrypted with the present key (Fernet: AES-128-CBC and HMAC-SHA256)."""
    return _keys().encrypt(text.encode()).decode()


def decrypt(stored: str) -> str:
    """Return the text of an encrypted value; raises `UndecryptableError`."""
    try:
        return _keys().decrypt(stored.encode()).decode()
    except InvalidToken as error:
        raise UndecryptableError from error


def rotate(stored: str) -> str:
    """Return a value encrypted with the present key; raises `UndecryptableError`."""
    try:
        return _keys().rotate(stored.encode()).decode()
    except InvalidToken as error:
        raise UndecryptableError from error


def _keys() -> MultiFernet:
    return MultiFernet([Fernet(_derive(key)) for key in get_site_config().encryption_keys])


def _derive(key: str) -> bytes:
    derived = HKDF(SHA256(), _KEY_BYTES, salt=None, info=_PURPOSE).derive(key.encode())
    return base64.urlsafe_b64encode(derived)
