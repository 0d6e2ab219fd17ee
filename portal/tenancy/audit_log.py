"""Reads of the audit log: auditors see all of it, group administrators that of their groups."""

from collections.abc import Mapping
from typing import Any, Final

from django.db.models import QuerySet

from portal.audit.models import AuditEvent
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import DeniedError
from portal.tenancy import policies

_COLUMNS: Final[Mapping[str, str]] = {
    "action": "action",
    "actor": "actor_name",
    "object_type": "object_type",
    "object": "object_id",
    "group": "group_id",
    "outcome": "outcome",
    "since": "at__gte",
    "until": "at__lt",
}


def events_visible_to(actor: Actor, filters: Mapping[str, Any]) -> QuerySet[AuditEvent]:
    """Return the events that the actor may see; `filters` are those of the API."""
    rows = AuditEvent.objects.filter(**{_COLUMNS[name]: value for name, value in filters.items()})
    if policies.can(actor, Action.AUDIT_VIEW, None):
        return rows
    administered = [group for group in actor.roles if policies.can(actor, Action.AUDIT_VIEW, group)]
    if not administered:
        raise DeniedError("denied", action=Action.AUDIT_VIEW.value)
    return rows.filter(group_id__in=administered)
