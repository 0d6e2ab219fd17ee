"""What holds for rules that admins of a group make: about its work alone, and heard within it."""

from collections.abc import Sequence
from typing import Final

from portal.alarms.kinds import AlarmAudience
from portal.alarms.models import AlarmChannel, AlarmRule
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ExhaustedError, InvalidError
from portal.site.selectors import settings_for_system
from portal.tenancy import policies

RULES_MAX: Final = 100
"""Rules that staff has made."""
GROUPS_RULES_MAX: Final = 500
"""Rules of all groups together: each is held against the facts every minute."""


def is_made_by_group(actor: Actor) -> bool:
    """Return whether a rule of this actor is one of a group: it has no rights over the whole platform."""
    return not policies.can(actor, Action.ALARM_MANAGE, None)


def require_manager(actor: Actor, rule: AlarmRule) -> None:
    """Raise unless the actor may change this rule as it is: one of a group its admins, others administrators."""
    owner = rule.group_id if rule.by_group else None
    policies.require(actor, Action.ALARM_MANAGE, owner, what="alarm_rule")


def require_group_terms(rule: AlarmRule, channels: Sequence[AlarmChannel] | None) -> None:
    """Refuse what a rule of a group may not say; of other rules nothing.

    Raises:
        InvalidError: it has no group, or reaches people or channels outside it.
    """
    if not rule.by_group:
        return
    if rule.group_id is None:
        raise InvalidError("alarm_rule_without_group", pointer="/group")
    if AlarmAudience.STAFF.value in rule.audience:
        raise InvalidError("alarm_audience_of_group", pointer="/audience")
    if channels:
        raise InvalidError("alarm_channels_of_staff", pointer="/channels")


def require_room(rule: AlarmRule) -> None:
    """Refuse a rule beyond those that its group, or the site, may have; itself does not count."""
    others = AlarmRule.objects.filter(by_group=rule.by_group).exclude(pk=rule.pk)
    if not rule.by_group:
        _require_below(others.count(), RULES_MAX)
        return
    most = settings_for_system().group_alarm_rules_max
    if most == 0:
        raise InvalidError("alarm_rules_of_staff_only", pointer="/group")
    if others.filter(group=rule.group_id).count() >= most:
        raise ExhaustedError("alarm_rules_of_group_too_many", max=most)
    _require_below(others.count(), GROUPS_RULES_MAX)


def _require_below(count: int, most: int) -> None:
    if count >= most:
        raise ExhaustedError("alarm_rules_too_many", max=most)
