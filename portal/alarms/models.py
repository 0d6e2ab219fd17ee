"""The tables of alarms: rules, what they have found, silences, channels and what waits to be sent."""

from typing import Any, ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from portal.alarms.decisions import DAY_MINUTES, AlarmState
from portal.alarms.kinds import (
    AlarmAct,
    AlarmAudience,
    AlarmKind,
    AlarmSeverity,
    AlarmSubjectType,
)
from portal.common.models import Entity
from portal.identity.models import User
from portal.inventory.models import Pool
from portal.outbound.models import OutboundChannel, OutboundMessage
from portal.tenancy.models import Group


def _choices(words: Any) -> list[tuple[str, str]]:
    return [(word.value, word.value) for word in words]


class AlarmChannel(OutboundChannel):
    """A place to which alarms are sent."""

    name = models.CharField(max_length=63, unique=True)
    language = models.CharField(max_length=8, default="en")
    """Of its messages."""
    enabled = models.BooleanField(default=True)


class AlarmRule(Entity):
    """When to raise an alarm, about what, and what is done then."""

    kind = models.CharField(max_length=24, choices=_choices(AlarmKind))
    name = models.CharField(max_length=63, blank=True)
    """Empty for shipped rules, which are named by their kind in the reader's language."""
    is_shipped = models.BooleanField(default=False)
    """Comes with the platform: it can be changed and disabled, and not removed."""
    enabled = models.BooleanField(default=True)
    severity = models.CharField(max_length=8, choices=_choices(AlarmSeverity))
    threshold = models.PositiveIntegerField()
    duration_s = models.PositiveIntegerField()
    """How long the condition must hold."""
    pool = models.ForeignKey(Pool, models.CASCADE, null=True, related_name="+")
    """Only subjects of this pool; null is all."""
    group = models.ForeignKey(Group, models.CASCADE, null=True, related_name="+")
    """Only subjects of this group and those below it; null is all."""
    by_group = models.BooleanField(default=False, db_default=False)
    """Made by admins of the group: they change it, and it reaches nobody and nothing outside the group."""
    quiet_from = models.PositiveSmallIntegerField(null=True)
    """Minute of the site's day from which nobody is notified until `quiet_until`."""
    quiet_until = models.PositiveSmallIntegerField(null=True)
    audience: "ArrayField[Any, Any]" = ArrayField(
        models.CharField(max_length=16, choices=_choices(AlarmAudience)), default=list, blank=True
    )
    channels: "models.ManyToManyField[AlarmChannel, Any]" = models.ManyToManyField(
        AlarmChannel, related_name="rules", blank=True
    )
    act = models.CharField(max_length=16, choices=_choices(AlarmAct), default="", blank=True)
    tag = models.CharField(max_length=32, blank=True, default="", db_default="")
    """What work is tagged with, where the rule does that."""

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(
                fields=["kind"], condition=Q(is_shipped=True), name="alarm_rule_shipped_once"
            ),
            models.CheckConstraint(
                condition=Q(quiet_from=None, quiet_until=None)
                | Q(
                    quiet_from__isnull=False,
                    quiet_from__lt=DAY_MINUTES,
                    quiet_until__isnull=False,
                    quiet_until__lt=DAY_MINUTES,
                ),
                name="alarm_rule_quiet_hours_in_a_day",
            ),
            models.CheckConstraint(
                condition=Q(by_group=False) | Q(is_shipped=False, group__isnull=False),
                name="alarm_rule_of_a_group_has_one",
            ),
        ]


class Alarm(Entity):
    """What a rule has found about one subject, from when the condition began to hold."""

    rule = models.ForeignKey(AlarmRule, models.CASCADE, related_name="alarms")
    subject_type = models.CharField(max_length=16, choices=_choices(AlarmSubjectType))
    subject_id = models.UUIDField()
    subject_name = models.CharField(max_length=200)
    """Of quotas and budgets the name of their group, whose title readers are shown."""
    work_kind = models.CharField(max_length=16, blank=True)
    """Notebook or job, where the subject is work."""
    detail = models.CharField(max_length=100, blank=True)
    """A code that says more: of a fault, a node, the period of a budget; of a quota, what it limits."""
    value = models.IntegerField()
    """As the condition was last seen to hold, in the unit of the kind."""
    owner = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+", db_index=False)
    group = models.ForeignKey(Group, models.CASCADE, null=True, related_name="+", db_index=False)
    pool = models.ForeignKey(
        Pool, models.DO_NOTHING, null=True, related_name="+", db_index=False, db_constraint=False
    )
    """History outlives pools: without a constraint, so that it keeps none from being removed."""
    node_id = models.UUIDField(null=True)
    state = models.CharField(max_length=8, choices=_choices(AlarmState))
    since = models.DateTimeField()
    seen_at = models.DateTimeField()
    clear_since = models.DateTimeField(null=True)
    fired_at = models.DateTimeField(null=True)
    resolved_at = models.DateTimeField(null=True)
    notified_at = models.DateTimeField(null=True)
    """When people and channels were notified; null while quiet hours or a silence forbid it."""
    acted_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=40, blank=True)
    """What became of the rule's act: `done`, or the code of its refusal."""
    acknowledged_at = models.DateTimeField(null=True)
    acknowledged_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    comment = models.CharField(max_length=300, blank=True)
    """By the person who acknowledged it."""

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(
                fields=["rule", "subject_id"],
                condition=~Q(state="resolved"),
                name="alarm_one_open_per_subject",
            ),
            models.CheckConstraint(
                condition=Q(state="resolved", resolved_at__isnull=False)
                | (~Q(state="resolved") & Q(resolved_at=None)),
                name="alarm_resolved_at_a_time",
            ),
        ]
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["resolved_at"], name="alarm_by_end"),
            models.Index(fields=["group", "-id"], name="alarm_by_group"),
            models.Index(fields=["owner", "-id"], name="alarm_by_owner"),
            models.Index(fields=["node_id", "-id"], name="alarm_by_node"),
        ]


class AlarmSilence(Entity):
    """A time in which matching alarms notify nobody and nothing is done; they are still shown."""

    rule = models.ForeignKey(AlarmRule, models.CASCADE, null=True, related_name="silences")
    """Null is every rule."""
    pool = models.ForeignKey(Pool, models.CASCADE, null=True, related_name="+")
    """Null is every pool."""
    subject_id = models.UUIDField(null=True)
    """Null is every subject."""
    subject_name = models.CharField(max_length=200, blank=True)
    until = models.DateTimeField()
    reason = models.CharField(max_length=300)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    class Meta:
        indexes: ClassVar[list[Any]] = [models.Index(fields=["until"], name="silence_by_end")]


class AlarmDelivery(OutboundMessage):
    """A message that waits to be sent to a channel of the site."""

    channel = models.ForeignKey(
        AlarmChannel, models.CASCADE, related_name="deliveries", db_index=False
    )
    payload: "models.JSONField[Any, Any]" = models.JSONField()
    """As `portal.alarms.messages` writes it."""

    class Meta:
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["channel", "due_at"], name="alarm_delivery_due")
        ]
