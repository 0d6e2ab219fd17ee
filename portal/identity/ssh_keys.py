"""SSH public keys of users, in the format of OpenSSH's `.pub` files."""

import base64
import binascii
import hashlib
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_ssh_public_key
from django.db import transaction
from django.db.models import Q

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, DeniedError, InvalidError, NotFoundError
from portal.identity.models import SshKey, User

KEYS_PER_USER_MAX: Final = 20
"""SSH keys of one user."""
LINE_MAX: Final = 8 * 1024
"""Characters of an SSH key."""
RSA_BITS_MIN: Final = 2048
"""Bits of an RSA key."""
USE_RECORDED_EVERY: Final = timedelta(minutes=1)
"""How exactly the last use of a key is known."""
KINDS: Final = frozenset(
    {
        "ssh-ed25519",
        "ecdsa-sha2-nistp256",
        "ecdsa-sha2-nistp384",
        "ecdsa-sha2-nistp521",
        "ssh-rsa",
    }
)
KEYS_OPEN: Final = (Action.WORKLOAD_OPEN, Action.VOLUME_READ, Action.VOLUME_WRITE)
"""What the owner of a key may do with it: enter containers, and read and write volumes."""
_POINTER: Final = "/public_key"


@dataclass(frozen=True, slots=True)
class ParsedKey:
    """The fields of a line of a `.pub` file."""

    kind: str
    public_key: str
    fingerprint: str


def parse_public_key(text: str) -> ParsedKey:
    """Read one public key; raises `InvalidError` for anything else, such as a private key."""
    if "PRIVATE KEY" in text:
        raise InvalidError("ssh_key_private", pointer=_POINTER)
    words = text.split()
    if len(text) > LINE_MAX or len(words) < 2 or "\n" in text.strip():
        raise InvalidError("ssh_key_unreadable", pointer=_POINTER)
    kind, encoded = words[0], words[1]
    if kind not in KINDS:
        raise InvalidError("ssh_key_kind", pointer=_POINTER, kinds=", ".join(sorted(KINDS)))
    line = f"{kind} {encoded}"
    try:
        blob = base64.b64decode(encoded, validate=True)
        key = load_ssh_public_key(line.encode("ascii"))
    except (ValueError, binascii.Error, UnicodeError, UnsupportedAlgorithm) as error:
        raise InvalidError("ssh_key_unreadable", pointer=_POINTER) from error
    if isinstance(key, RSAPublicKey) and key.key_size < RSA_BITS_MIN:
        raise InvalidError("ssh_key_short", pointer=_POINTER, bits=RSA_BITS_MIN)
    return ParsedKey(kind, line, compute_fingerprint(blob))


def compute_fingerprint(blob: bytes) -> str:
    """Return the fingerprint of a key's binary form, as `ssh-keygen -l` shows it."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")


@transaction.atomic
def add_key(*, actor: Actor, name: str, text: str) -> SshKey:
    """Add a key of the caller. What it opens, the caller's scopes must allow, too."""
    for opened in KEYS_OPEN:
        if not actor.has_scope(opened):
            raise DeniedError("scope_missing", action=opened)
    parsed = parse_public_key(text)
    if actor.user_id is None:
        raise NotFoundError("user")
    user = User.objects.select_for_update().get(pk=actor.user_id)
    if SshKey.objects.filter(user=user).count() >= KEYS_PER_USER_MAX:
        raise InvalidError("too_many_ssh_keys", limit=KEYS_PER_USER_MAX)
    key, is_new = SshKey.objects.get_or_create(
        fingerprint=parsed.fingerprint,
        defaults={
            "user": user,
            "name": name,
            "kind": parsed.kind,
            "public_key": parsed.public_key,
        },
    )
    if not is_new:
        raise ConflictError("ssh_key_taken", fingerprint=parsed.fingerprint)
    _record(actor, "ssh_key.create", key)
    return key


@transaction.atomic
def remove_key(*, actor: Actor, key_id: UUID) -> None:
    """Delete a key of the caller; sessions that it opened end within seconds."""
    key = SshKey.objects.filter(pk=key_id, user=actor.user_id).first()
    if key is None:
        raise NotFoundError("ssh_key")
    _record(actor, "ssh_key.delete", key)
    key.delete()


def remove_keys_of(*, actor: Actor, user: User) -> None:
    """Delete all keys of a user, in the caller's transaction."""
    for key in SshKey.objects.filter(user=user).order_by("pk"):
        _record(actor, "ssh_key.delete", key)
        key.delete()


def authenticate_key(fingerprint: str) -> User | None:
    """Return the active user of a key, or None, and record that the key was used."""
    key = (
        SshKey.objects.select_related("user")
        .filter(fingerprint=fingerprint, user__is_active=True)
        .first()
    )
    if key is None:
        return None
    moment = now()
    stale = Q(last_used_at=None) | Q(last_used_at__lt=moment - USE_RECORDED_EVERY)
    SshKey.objects.filter(stale, pk=key.pk).update(last_used_at=moment)
    return key.user


def _record(actor: Actor, action: str, key: SshKey) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="ssh_key",
        object_id=key.pk,
        params={"name": key.name, "fingerprint": key.fingerprint},
    )
