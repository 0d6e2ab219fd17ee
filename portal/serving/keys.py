"""Keys of services: shown once, checked by their digest on every request, revoked at once."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import DeniedError, ExhaustedError, NotFoundError
from portal.endpoints.values import digest_secret
from portal.serving.models import ServiceKey
from portal.serving.selectors import keys_for_system
from portal.serving.services import lock_for_change

KEYS_MAX: Final = 100
"""Keys of one service that were not revoked."""
PREFIX: Final = "sk-berth-"
"""By which scanners, and people, know a key of a service."""
_HINT: Final = 4


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A new key with its secret, which is shown only once."""

    row: ServiceKey
    secret: str = field(repr=False)


@transaction.atomic
def issue_key(
    *,
    actor: Actor,
    service_id: UUID,
    name: str,
    requests_per_min: int | None = None,
    tokens_per_min: int | None = None,
    expires_at: datetime | None = None,
) -> IssuedKey:
    """Make a key with which programs may send requests to a service.

    Raises:
        ExhaustedError: the service has as many as are allowed.
    """
    service = lock_for_change(actor, service_id)
    if actor.user_id is None:
        raise DeniedError("denied")
    if keys_for_system(service).count() >= KEYS_MAX:
        raise ExhaustedError("too_many_service_keys", limit=KEYS_MAX)
    secret = f"{PREFIX}{secrets.token_urlsafe(32)}"
    row = ServiceKey.objects.create(
        service=service,
        name=name,
        digest=digest_secret(secret),
        hint=secret[-_HINT:],
        requests_per_min=requests_per_min,
        tokens_per_min=tokens_per_min,
        created_by_id=actor.user_id,
        expires_at=expires_at,
    )
    _audit(actor, "service.key_issue", row, service.group_id)
    return IssuedKey(row, secret)


@transaction.atomic
def revoke_key(*, actor: Actor, service_id: UUID, key_id: UUID) -> None:
    """Let a key open nothing any more."""
    service = lock_for_change(actor, service_id)
    row = keys_for_system(service).filter(pk=key_id).first()
    if row is None:
        raise NotFoundError("service_key")
    ServiceKey.objects.filter(pk=row.pk).update(revoked_at=now())
    _audit(actor, "service.key_revoke", row, service.group_id)


def _audit(actor: Actor, action: str, row: ServiceKey, group_id: UUID) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="service",
        object_id=row.service_id,
        group_id=group_id,
        params={"name": row.name},
    )
