"""What the last scheduling pass found: the queue of each pool, free capacity, reservations."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from portal.common.clock import now
from portal.inventory.models import Pool
from scheduler.core.model.plan import EstimateBasis


class PoolQueue(models.Model):
    """What waits in one pool and why, as the last scheduling pass found it: one row per pool.

    Three arrays of equal length have one entry per workload, so that thousands of them cost one write.
    """

    pool = models.OneToOneField(Pool, models.CASCADE, primary_key=True, related_name="+")
    workloads: "ArrayField[Any, Any]" = ArrayField(models.UUIDField(), default=list)
    positions: "ArrayField[Any, Any]" = ArrayField(models.IntegerField(), default=list)
    answer_of: "ArrayField[Any, Any]" = ArrayField(models.IntegerField(), default=list)
    """Index into `answers`."""
    answers: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    """Distinct `{"reasons": [{"code", "params"}], "expected": {"earliest", "latest", "basis", "promised",
    "possible_from"}}`, reasons hardest first, times in milliseconds; `expected` may be null."""
    decided_at = models.DateTimeField(default=now)


class ExpectedStart(models.Model):
    """The first expected start that was published for waiting work, until it is judged by the real one."""

    workload = models.OneToOneField("Workload", models.CASCADE, primary_key=True, related_name="+")
    counted_from = models.DateTimeField()
    """When it was said, or the begin time of the work if that is later."""
    latest = models.DateTimeField()
    """By when it was expected to start, in whole minutes, as pages show it."""
    basis = models.CharField(max_length=16)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(basis__in=[basis.value for basis in EstimateBasis]),
                name="expected_start_basis",
            )
        ]


class StartHistory(models.Model):
    """What expected starts in one pool were worth in the last weeks: one row per pool."""

    pool = models.OneToOneField(Pool, models.CASCADE, primary_key=True, related_name="+")
    counts: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    """`{week: {"<basis>:<class>": {bucket: estimates}}}`, as `scheduler.core.reservation.start_accuracy`
    names classes and buckets; weeks since the epoch."""
    spreads: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    """`{"<basis>:<class>" or "<basis>": [low, high, percent, estimates]}`: what follows from the counts."""


class SchedulerPass(models.Model):
    """The last pass of the scheduling loop and the free capacity that it left: one row."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    at = models.DateTimeField(default=now)
    boards: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    """List of `scheduler.core.model.plan.PoolBoard` as objects, pool ids as strings."""
    reservations: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    """List of `scheduler.core.model.plan.PlannedReservation` as objects: the next pass keeps them."""
    moved: "models.JSONField[Any, Any]" = models.JSONField(default=list, db_default=[])
    """List of `scheduler.core.model.plan.MovedStart` as objects, each with `at`, of work that waits."""

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="scheduler_pass_one_row")]


class NoticedEvents(models.Model):
    """How far owners were notified of the events of their work: one row."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    until = models.PositiveBigIntegerField()
    """All events up to this one were considered."""
    later: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    """Events after it that were considered: another may be committed with a number between them."""
    waited_until = models.DateTimeField()
    """Work that had waited for too long by then was considered."""

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="noticed_events_one_row")]
