"""Limits of groups and their members, and the counted use of quotas."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from portal.common.models import Entity
from portal.identity.models import User
from portal.inventory.models import Pool
from portal.tenancy.models import Group
from scheduler.core.model.resources import Resource


class Quota(Entity):
    """Limits of one group for one resource in one pool, or (pool null) in all pools together.

    `ceiling` null is unlimited, 0 is zero. `used` is the sum over live allocations of the group
    and its descendants; only `portal.quotas.counters` changes it.
    """

    class Weight(models.TextChoices):
        """Weight with which a group shares in what no group deserves."""

        HIGH = "high"
        MEDIUM = "medium"
        LOW = "low"
        LOWEST = "lowest"
        NONE = "none"

    group = models.ForeignKey(Group, models.CASCADE, related_name="quotas", db_index=False)
    pool = models.ForeignKey(Pool, models.CASCADE, null=True, related_name="quotas")
    resource = models.CharField(max_length=16, choices=[(r.value, r.value) for r in Resource])
    model = models.CharField(max_length=100, blank=True, default="", db_default="")
    """Only GPUs of this model count, by its name in `portal.inventory.gpu_models`; empty is all."""
    guarantee = models.BigIntegerField(default=0)
    deserved = models.BigIntegerField(default=0)
    ceiling = models.BigIntegerField(null=True)
    user_ceiling = models.BigIntegerField(null=True)
    weight = models.CharField(max_length=8, choices=Weight.choices, default=Weight.MEDIUM)
    used = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["group", "pool", "resource", "model"],
                nulls_distinct=False,
                name="quota_once",
            ),
            models.CheckConstraint(
                condition=Q(model="") | Q(resource="gpu", guarantee=0, deserved=0),
                name="quota_of_a_model_is_a_ceiling_of_gpus",
            ),
            models.CheckConstraint(condition=Q(used__gte=0), name="quota_use_not_negative"),
            models.CheckConstraint(
                condition=Q(guarantee__gte=0, deserved__gte=F("guarantee"))
                & (Q(ceiling=None) | Q(ceiling__gte=F("deserved"))),
                name="quota_limits_in_order",
            ),
            models.CheckConstraint(
                condition=Q(user_ceiling=None) | Q(user_ceiling__gte=0),
                name="quota_user_ceiling_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(resource__in=[r.value for r in Resource]), name="quota_resource_known"
            ),
        ]


class UserUse(models.Model):
    """What one user uses of one quota."""

    id = models.BigAutoField(primary_key=True)
    quota = models.ForeignKey(Quota, models.CASCADE, related_name="user_uses", db_index=False)
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    used = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["quota", "user"], name="user_use_once"),
            models.CheckConstraint(condition=Q(used__gte=0), name="user_use_not_negative"),
        ]


class GroupLimit(Entity):
    """Counted limits for each user of a group, and of its volumes together; null is unlimited."""

    group = models.OneToOneField(Group, models.CASCADE, related_name="limit")
    pending_per_user_max = models.PositiveIntegerField(null=True, default=10_000)
    running_per_user_max = models.PositiveIntegerField(null=True)
    environments_per_user_max = models.PositiveIntegerField(null=True, default=5)
    time_limit_s_max = models.PositiveIntegerField(null=True)
    """Longest run time that work of this group may request; null is the pool's own maximum."""
    extension_s_max = models.PositiveIntegerField(default=86_400)
    """How far beyond that, or the pool's, a group admin may let work of others run."""
    developer_priority_max = models.SmallIntegerField(default=100)
    """Highest priority that developers of this group, and of those below it, may give."""
    group_admin_priority_max = models.SmallIntegerField(default=100)
    """The same for its group admins."""
    volumes_mib_max = models.PositiveBigIntegerField(null=True)
    """What the quotas of the volumes of this group, and of those below it, may add up to."""


class MemberLimit(Entity):
    """What one member of a group may have; null sets no limit. The least of all limits applies."""

    group = models.ForeignKey(Group, models.CASCADE, related_name="+", db_index=False)
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    time_limit_s_max = models.PositiveIntegerField(null=True)
    pending_max = models.PositiveIntegerField(null=True)
    running_max = models.PositiveIntegerField(null=True)
    environments_max = models.PositiveIntegerField(null=True)
    priority_max = models.SmallIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["group", "user"], name="member_limit_once"),
        ]


class MemberCeiling(Entity):
    """What one member may hold at most of a quota; the least of this and `user_ceiling` applies."""

    quota = models.ForeignKey(Quota, models.CASCADE, related_name="member_ceilings", db_index=False)
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    ceiling = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["quota", "user"], name="member_ceiling_once"),
            models.CheckConstraint(condition=Q(ceiling__gte=0), name="member_ceiling_not_negative"),
        ]


class Budget(Entity):
    """GPU-hours, or money, that a group with its descendants may use in each period of the calendar."""

    class Period(models.TextChoices):
        """How often the count starts at zero, at midnight of the site."""

        DAY = "day"
        WEEK = "week"
        MONTH = "month"

    group = models.ForeignKey(Group, models.CASCADE, related_name="budgets", db_index=False)
    pool = models.ForeignKey(Pool, models.CASCADE, null=True, related_name="+")
    period = models.CharField(max_length=8, choices=Period.choices)
    gpu_hours = models.PositiveIntegerField(null=True)
    """Null where it is money."""
    money_micros = models.PositiveBigIntegerField(null=True)
    """Millionths of `currency`; null where it is GPU-hours."""
    currency = models.CharField(max_length=3, blank=True, default="", db_default="")
    by_group = models.BooleanField(default=False, db_default=False)
    """Set by admins of the group beside what staff has set; both hold."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["group", "pool", "period", "by_group"],
                nulls_distinct=False,
                name="budget_once",
            ),
            models.CheckConstraint(
                condition=Q(gpu_hours__isnull=False, money_micros=None, currency="")
                | (Q(gpu_hours=None, money_micros__isnull=False) & ~Q(currency="")),
                name="budget_in_one_unit",
            ),
        ]


class BudgetSpending(models.Model):
    """What the meter has counted of a budget of money; it can be derived again at any time."""

    id = models.BigAutoField(primary_key=True)
    budget = models.OneToOneField(Budget, models.CASCADE, related_name="spending")
    first_day = models.DateField()
    """Of the period that was counted."""
    counted_until = models.DateTimeField()
    cost = models.DecimalField(max_digits=40, decimal_places=0)
    """Millionths of the currency for an hour × thousandths of a GPU × milliseconds: whole numbers."""
    unpriced = ArrayField(models.CharField(max_length=100), default=list)
    """Models that were used while they had no price in the budget's currency."""


class GpuPrice(Entity):
    """What a GPU of one model costs by the hour from a day on, until the next price of the model."""

    model = models.CharField(max_length=100)
    valid_from = models.DateField()
    """Day of the site; never in a month that is over when the price is set."""
    hourly_micros = models.PositiveBigIntegerField()
    """Millionths of the currency for an hour of a whole GPU; fractions pay by their milli."""
    currency = models.CharField(max_length=3)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["model", "valid_from"], name="gpu_price_once"),
        ]


class QuotaChange(Entity):
    """One saved change of quotas: who, when and why; its items say what."""

    actor_name = models.CharField(max_length=100)
    actor = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    """Null is the system, or a user who was deleted."""
    reason = models.CharField(max_length=500, blank=True)
    undoes = models.ForeignKey("self", models.SET_NULL, null=True, related_name="undone_by")
    """The earlier change that this one took back."""


class QuotaChangeItem(models.Model):
    """What one change did to one quota; the limits before, or after, are null where there was none."""

    id = models.BigAutoField(primary_key=True)
    change = models.ForeignKey(QuotaChange, models.CASCADE, related_name="items")
    group = models.ForeignKey(Group, models.CASCADE, related_name="+", db_index=False)
    pool = models.ForeignKey(Pool, models.CASCADE, null=True, related_name="+")
    resource = models.CharField(max_length=16)
    model = models.CharField(max_length=100, blank=True)
    before: "models.JSONField[Any, Any]" = models.JSONField(null=True)
    after: "models.JSONField[Any, Any]" = models.JSONField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["group", "-change"], name="quota_change_by_group"),
        ]


class MemberCeilingChange(models.Model):
    """What one change did to what one member may hold of a quota; null is no ceiling of its own."""

    id = models.BigAutoField(primary_key=True)
    change = models.ForeignKey(QuotaChange, models.CASCADE, related_name="members")
    group = models.ForeignKey(Group, models.CASCADE, related_name="+", db_index=False)
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    pool = models.ForeignKey(Pool, models.CASCADE, null=True, related_name="+")
    resource = models.CharField(max_length=16)
    model = models.CharField(max_length=100, blank=True)
    before = models.BigIntegerField(null=True)
    after = models.BigIntegerField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["group", "-change"], name="ceiling_change_by_group"),
        ]
