"""The one writer of the audit log."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from portal.audit.models import AuditEvent
from portal.common.actor import Actor


def record_event(
    *,
    actor: Actor,
    action: str,
    object_type: str,
    object_id: object = "",
    group_id: UUID | None = None,
    params: Mapping[str, Any] | None = None,
) -> None:
    """Write a completed act to the log, in the transaction of the change."""
    event = _event(actor, action, params)
    event.object_type, event.object_id, event.group_id = object_type, str(object_id), group_id
    event.save(force_insert=True)


def record_failure(
    *, actor: Actor, action: str, object_type: str, params: Mapping[str, Any] | None = None
) -> None:
    """Write an act to the log that was tried and failed."""
    event = _event(actor, action, params)
    event.object_type, event.outcome = object_type, AuditEvent.Outcome.FAILED
    event.save(force_insert=True)


def _event(actor: Actor, action: str, params: Mapping[str, Any] | None) -> AuditEvent:
    return AuditEvent(
        actor_kind=actor.kind,
        actor_id=str(actor.user_id or ""),
        actor_name=actor.name,
        action=action,
        params=dict(params or {}),
        request_id=actor.request_id,
        address=actor.address,
    )
