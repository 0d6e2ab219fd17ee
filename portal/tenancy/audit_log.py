"""Reads of the audit log: everything for auditors, their groups' part for those who head groups."""

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
    """Return the acts that the actor may know of; `filters` have the names that the API gives them."""
    rows = AuditEvent.objects.filter(**{_COLUMNS[name]: value for name, value in filters.items()})
    if policies.can(actor, Action.AUDIT_VIEW, None):
        return rows
    headed = [group for group in actor.roles if policies.can(actor, Action.AUDIT_VIEW, group)]
    if not headed:
        raise DeniedError("denied", action=Action.AUDIT_VIEW.value)
    return rows.filter(group_id__in=headed)
