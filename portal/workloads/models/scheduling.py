"""What the last scheduling pass found: the queue of each pool, free capacity, reservations."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from portal.common.clock import now
from portal.inventory.models import Pool


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
    """Distinct `{"reasons": [{"code", "params"}], "expected": {"earliest", "latest", "basis"}}`,
    reasons hardest first, times in milliseconds; `expected` may be null."""
    decided_at = models.DateTimeField(default=now)


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
