"""GPU use over time: by day, decayed for fair share, and as measured in each attempt."""

from django.db import models

from portal.identity.models import User
from portal.inventory.models import Pool
from portal.tenancy.models import Group
from portal.workloads.models.allocations import Allocation


class DailyGpuUse(models.Model):
    """GPUs that were held, in milli-GPUs × milliseconds, by day of the site."""

    id = models.BigAutoField(primary_key=True)
    group = models.ForeignKey(Group, models.PROTECT, related_name="+", db_index=False)
    user = models.ForeignKey(User, models.PROTECT, related_name="+")
    pool = models.ForeignKey(Pool, models.PROTECT, related_name="+")
    day = models.DateField()
    gpu_milli_ms = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["group", "user", "pool", "day"], name="daily_gpu_use_once"
            ),
        ]


class DecayedGpuUse(models.Model):
    """Past GPU use of one user in one leaf group, decayed up to `at`; for fair share."""

    id = models.BigAutoField(primary_key=True)
    group = models.ForeignKey(Group, models.CASCADE, related_name="+", db_index=False)
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    gpu_milli_ms = models.BigIntegerField(default=0)
    """Milli-GPUs × milliseconds."""
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["group", "user"], name="decayed_gpu_use_once")
        ]


class MeasuredUse(models.Model):
    """Measured use of its GPUs by one allocation."""

    allocation = models.OneToOneField(
        Allocation, models.CASCADE, primary_key=True, related_name="measured"
    )
    memory_samples = models.PositiveIntegerField()
    peak_mib = models.PositiveBigIntegerField()
    busy_samples = models.PositiveIntegerField()
    peak_pct = models.PositiveBigIntegerField()
    """Highest utilisation: a part of a GPU that is enough only for the mean slows the peaks down."""
