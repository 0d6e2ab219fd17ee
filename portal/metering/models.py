"""What the meter derives from the ledger by day.

The ledger itself is `Allocation` and `AllocationDevice`. `UsageDay`, its sums `UsageGroupDay` and
`UsageWeek`, and `WorkStart` can be rebuilt from it at any time (`manage.py rebuild_usage`), so they have no foreign
keys of their own.
"""

from typing import ClassVar, Final

from django.db import models
from django.db.models import Q

from portal.common.work_kinds import JOB

ROW_ID: Final = 1


class AttemptOutcome(models.TextChoices):
    """How the attempt ended that held something."""

    RUNNING = "running"
    COMPLETED = "completed"
    """It succeeded; a notebook: it was used until its owner or a rule of the pool suspended it."""
    STOPPED = "stopped"
    """It was cancelled, or reached its time limit."""
    FAILED = "failed"
    """By itself."""
    PREEMPTED = "preempted"
    """It was evicted for other work, or for maintenance."""
    LOST = "lost"
    """Its node, GPU or container was lost."""


class _Amounts(models.Model):
    """What was held and used: units × milliseconds, integers, so that no rounding accumulates."""

    gpu_milli_ms = models.BigIntegerField()
    """Thousandths of a GPU × milliseconds, whole GPUs and fractions."""
    fraction_milli_ms = models.BigIntegerField()
    """As much of it as was held as slices or fractions."""
    gpu_memory_mib_ms = models.BigIntegerField()
    cpu_milli_ms = models.BigIntegerField()
    memory_mib_ms = models.BigIntegerField()
    sampled_milli_ms = models.BigIntegerField()
    """As much of `gpu_milli_ms` as has samples of its use."""
    idle_milli_ms = models.BigIntegerField()
    """As much of that as was idle: hours with a mean use below `IDLE_BELOW_PCT`."""
    busy_milli_ms = models.BigIntegerField()
    """`sampled_milli_ms` × use."""
    measured_milli_ms = models.BigIntegerField(default=0, db_default=0)
    """As much of `gpu_milli_ms` as has a measured energy."""
    energy_mj = models.BigIntegerField(default=0, db_default=0)
    """Millijoules that the GPUs drew in that time, shared ones by the part that was held.

    10,000 GPUs of 1 kW draw a tenth of what a bigint holds in three years.
    """
    carbon_mg = models.BigIntegerField(null=True)
    """Of that energy, in milligrams of CO2e; null where the site had no carbon factor."""

    class Meta:
        abstract = True


class UsageDay(_Amounts):
    """What one member held in one group and pool on one day of the site, by GPU model and outcome."""

    id = models.BigAutoField(primary_key=True)
    day = models.DateField()
    group_id = models.UUIDField()
    user_id = models.UUIDField()
    pool_id = models.UUIDField()
    model = models.CharField(max_length=100, blank=True)
    """Of the GPUs, as the catalogue names it; empty for work without any."""
    kind = models.CharField(max_length=16)
    outcome = models.CharField(max_length=16, choices=AttemptOutcome.choices)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["day", "group_id", "user_id", "pool_id", "model", "kind", "outcome"],
                name="usage_day_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["user_id", "day"], name="usage_day_by_user"),
        ]


class UsageGroupDay(_Amounts):
    """The sums of one group's `UsageDay`s of one day, which questions about no person read instead: by GPU model only."""

    id = models.BigAutoField(primary_key=True)
    day = models.DateField()
    group_id = models.UUIDField()
    model = models.CharField(max_length=100, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["day", "group_id", "model"], name="usage_group_day_once"
            ),
        ]


class UsageWeek(_Amounts):
    """The sums of seven `UsageDay`s, which questions about months read instead: by GPU model only."""

    id = models.BigAutoField(primary_key=True)
    week = models.DateField()
    """Its Monday."""
    group_id = models.UUIDField()
    user_id = models.UUIDField()
    model = models.CharField(max_length=100, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["week", "group_id", "user_id", "model"], name="usage_week_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["user_id", "week"], name="usage_week_by_user"),
        ]


class WorkStart(models.Model):
    """How long one workload waited for its first start, and when it ended."""

    workload_id = models.UUIDField(primary_key=True)
    group_id = models.UUIDField()
    user_id = models.UUIDField()
    pool_id = models.UUIDField()
    kind = models.CharField(max_length=16)
    day = models.DateField()
    """Of the site, on which it started."""
    wait_ms = models.BigIntegerField()
    """From when it could start, which is its submission or a later time that it asked for."""
    ended_day = models.DateField(null=True)
    ended_as = models.CharField(max_length=16, blank=True)
    """The state in which it ended; empty before."""

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["day"], name="work_start_by_day"),
            models.Index(fields=["ended_day"], name="work_start_by_end"),
            models.Index(
                fields=["ended_day"],
                condition=Q(kind=JOB.kind, ended_as="succeeded"),
                name="work_start_succeeded",
            ),
        ]


class CapacityDay(models.Model):
    """GPUs that were installed on one day, as the meter saw them; counted on, and not rebuilt."""

    id = models.BigAutoField(primary_key=True)
    day = models.DateField()
    pool_id = models.UUIDField()
    model = models.CharField(max_length=100)
    is_simulated = models.BooleanField(default=False)
    gpu_ms = models.BigIntegerField()
    """GPUs × milliseconds."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["day", "pool_id", "model", "is_simulated"], name="capacity_day_once"
            ),
        ]


class MeterProgress(models.Model):
    """Up to when the meter has derived its tables: one row."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=ROW_ID)
    until = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(id=ROW_ID), name="meter_progress_one_row"),
        ]
