"""The text of an API token: `berth_<secret>_<checksum>`.

The prefix lets scanners find leaked tokens; the checksum lets us refuse mistyped ones without a
query. The secret has 256 bits of its own, so its SHA-256 is what the database keeps.
"""

import hashlib
import re
import secrets
import zlib

_SHAPE = re.compile(r"berth_([A-Za-z0-9_-]{43})_([0-9a-f]{8})")


def new_token() -> str:
    """Return a fresh token."""
    secret = secrets.token_urlsafe(32)
    return f"berth_{secret}_{_checksum(secret)}"


def digest_of(token: str) -> str | None:
    """Return the digest to look a token up by, or None when it cannot be one of ours."""
    found = _SHAPE.fullmatch(token)
    if found is None or _checksum(found[1]) != found[2]:
        return None
    return hashlib.sha256(token.encode()).hexdigest()


def _checksum(secret: str) -> str:
    return f"{zlib.crc32(secret.encode()):08x}"
