"""Reads of alarms, rules, silences and channels, scoped by the actor."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from django.db.models import Q, QuerySet

from portal.alarms.decisions import AlarmState
from portal.alarms.kinds import LIMITS
from portal.alarms.models import Alarm, AlarmChannel, AlarmRule, AlarmSilence
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import DeniedError, NotFoundError
from portal.tenancy import policies

_LOOKUPS: Final = {
    "state": "state",
    "severity": "rule__severity",
    "rule": "rule",
    "kind": "rule__kind",
    "group": "group",
}


def alarms_visible_to(actor: Actor, filters: Mapping[str, Any]) -> "QuerySet[Alarm]":
    """Return the alarms that concern the actor; pending ones are shown to nobody.

    Staff sees all. Members see those about their own work and home and about quotas and
    budgets of their groups, group admins all of their groups.
    """
    rows = Alarm.objects.exclude(state=AlarmState.PENDING).select_related(
        "rule", "owner", "group", "pool", "acknowledged_by"
    )
    if not policies.can_see_everything(actor):
        administered = [group for group, role in actor.roles.items() if role == "group_admin"]
        rows = rows.filter(
            Q(owner=actor.user_id)
            | Q(group__in=administered)
            | Q(subject_type__in=LIMITS, group__in=list(actor.roles))
        )
    for name, lookup in _LOOKUPS.items():
        if name in filters:
            rows = rows.filter(**{lookup: filters[name]})
    if "subject" in filters:
        rows = rows.filter(_is_named(filters["subject"]))
    if "is_acknowledged" in filters:
        rows = rows.filter(acknowledged_at__isnull=not filters["is_acknowledged"])
    return rows


def _is_named(part: str) -> Q:
    """Return what is called so; limits are, as readers are shown them, also by the titles of their group."""
    titled = Q(group__title_en__icontains=part) | Q(group__title_zh__icontains=part)
    return Q(subject_name__icontains=part) | (Q(subject_type__in=LIMITS) & titled)


def alarm_visible_to(actor: Actor, alarm_id: UUID) -> Alarm:
    """Return one alarm; raises `NotFoundError` for one that does not concern the actor."""
    row = alarms_visible_to(actor, {}).filter(pk=alarm_id).first()
    if row is None:
        raise NotFoundError("alarm")
    return row


def count_firing(actor: Actor) -> int:
    """Return how many alarms fire that concern the actor and were not acknowledged."""
    rows = alarms_visible_to(actor, {"state": AlarmState.FIRING})
    return rows.filter(acknowledged_at=None).count()


def rules_visible_to(actor: Actor) -> "QuerySet[AlarmRule]":
    """Return all rules to the platform's staff, and to group admins those that their groups have made.

    Raises:
        DeniedError: the actor is neither.
    """
    rows = AlarmRule.objects.select_related("pool", "group").prefetch_related("channels")
    if not policies.can_see_everything(actor):
        managed = [group for group in actor.roles if _manages(actor, group)]
        if not managed:
            raise DeniedError("denied", action=Action.ALARM_VIEW.value)
        rows = rows.filter(by_group=True, group__in=managed)
    return rows.order_by("-is_shipped", "kind", "name")


def silences_visible_to(actor: Actor) -> "QuerySet[AlarmSilence]":
    """Return the silences in force, to the platform's staff."""
    _require_staff(actor)
    rows = AlarmSilence.objects.filter(until__gt=now())
    return rows.select_related("rule", "pool", "created_by").order_by("until")


def channels_visible_to(actor: Actor) -> "QuerySet[AlarmChannel]":
    """Return the channels, to administrators of the platform."""
    policies.require(actor, Action.ALARM_MANAGE, None)
    return AlarmChannel.objects.order_by("name")


def _manages(actor: Actor, group_id: UUID) -> bool:
    return policies.has_role_for(actor, Action.ALARM_MANAGE, group_id)


def _require_staff(actor: Actor) -> None:
    if not policies.can_see_everything(actor):
        raise DeniedError("denied", action=Action.ALARM_VIEW.value)
