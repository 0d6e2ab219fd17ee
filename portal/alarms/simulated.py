"""Alarms of a demo's simulated past: over since long, and nobody was ever notified of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from portal.alarms.decisions import AlarmState
from portal.alarms.kinds import AlarmKind, AlarmSubjectType
from portal.alarms.models import Alarm, AlarmRule
from portal.alarms.shipped import ensure_shipped_rules
from portal.identity.models import User
from portal.inventory.models import Accelerator, Node


@dataclass(frozen=True, slots=True)
class PastAlarm:
    """An alarm about a node, or about a card of it."""

    kind: AlarmKind
    node: Node
    card: Accelerator | None
    value: int
    """In the unit of its kind."""
    fired_at: datetime
    resolved_at: datetime
    acknowledged_by: User | None
    comment: str


def write_past_alarms(alarms: Iterable[PastAlarm]) -> None:
    """Write alarms by the shipped rules of their kinds."""
    ensure_shipped_rules()
    rules = {rule.kind: rule for rule in AlarmRule.objects.filter(is_shipped=True)}
    Alarm.objects.bulk_create(_row(alarm, rules[alarm.kind.value]) for alarm in alarms)


def delete_past_alarms(until: datetime) -> None:
    """Delete the alarms that were over before a moment."""
    Alarm.objects.filter(resolved_at__lt=until).delete()


def _row(alarm: PastAlarm, rule: AlarmRule) -> Alarm:
    subject = alarm.card or alarm.node
    return Alarm(
        rule=rule,
        subject_type=(AlarmSubjectType.ACCELERATOR if alarm.card else AlarmSubjectType.NODE).value,
        subject_id=subject.pk,
        subject_name=f"{alarm.node.name} #{alarm.card.index}" if alarm.card else alarm.node.name,
        value=alarm.value,
        pool=alarm.node.pool,
        node_id=alarm.node.pk,
        state=AlarmState.RESOLVED.value,
        since=alarm.fired_at,
        seen_at=alarm.resolved_at,
        fired_at=alarm.fired_at,
        resolved_at=alarm.resolved_at,
        notified_at=alarm.fired_at,
        acknowledged_at=alarm.fired_at if alarm.acknowledged_by else None,
        acknowledged_by=alarm.acknowledged_by,
        comment=alarm.comment,
    )
