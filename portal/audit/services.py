"""The one writer of the audit log."""

import json
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.audit.models import AuditEvent
from portal.common.actor import Actor
from portal.common.notifications import invalidate_lists

_COLUMNS: Final = (
    *("at", "actor_kind", "actor_id", "actor_name", "action", "object_type", "object_id"),
    *("group_id", "outcome", "request_id", "address"),
)
AUDIT: Final = "audit"
"""The list of the log itself."""
# Written out, because every change of anything adds a row.
_INSERT: Final = """
INSERT INTO audit_auditevent (at, actor_kind, actor_id, actor_name, action, object_type, object_id,
    group_id, outcome, request_id, address, params)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::jsonb)
"""


def record_event(
    *,
    actor: Actor,
    action: str,
    object_type: str,
    object_id: object = "",
    group_id: UUID | None = None,
    params: Mapping[str, Any] | None = None,
) -> None:
    """Write a completed act to the log, in the transaction of the change, and tell lists of it."""
    event = AuditEvent(action=action, object_type=object_type, params=dict(params or {}))
    event.object_id, event.group_id = str(object_id), group_id
    event.outcome = AuditEvent.Outcome.OK.value
    _save(event, actor)
    invalidate_lists(object_type, AUDIT)


def record_failure(
    *, actor: Actor, action: str, object_type: str, params: Mapping[str, Any] | None = None
) -> None:
    """Write an act to the log that was tried and failed."""
    event = AuditEvent(action=action, object_type=object_type, params=dict(params or {}))
    event.outcome = AuditEvent.Outcome.FAILED.value
    _save(event, actor)
    invalidate_lists(AUDIT)


def record_denied(
    *,
    actor: Actor,
    action: str,
    object_type: str,
    object_id: object = "",
    group_id: UUID | None = None,
    params: Mapping[str, Any],
) -> None:
    """Write an act to the log that was refused; `portal.audit.denials` bounds how often."""
    event = AuditEvent(action=action, object_type=object_type, params=dict(params))
    event.object_id, event.group_id = str(object_id), group_id
    event.outcome = AuditEvent.Outcome.DENIED.value
    _save(event, actor)
    invalidate_lists(AUDIT)


def _save(event: AuditEvent, actor: Actor) -> None:
    event.actor_kind, event.actor_name = actor.kind, actor.name
    event.actor_id = str(actor.user_id or "")
    event.request_id, event.address = actor.request_id, actor.address
    params = json.dumps(event.params, default=str)
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, [*(getattr(event, name) for name in _COLUMNS), params])
