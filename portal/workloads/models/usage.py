"""GPU use over time: by day, decayed for fair share, and as measured in each attempt."""

from django.db import models

from portal.identity.models import User
from portal.inventory.models import Pool
from portal.tenancy.models import Group
from portal.workloads.models.allocations import Allocation


class DailyGpuUse(models.Model):
    """Cards that were held, in milli-cards × milliseconds, by day of the site: the meter."""

    id = models.BigAutoField(primary_key=True)
    group = models.ForeignKey(Group, models.PROTECT, related_name="+")
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
    """Past use of cards by one user in one leaf group, decayed up to `at`; for fair share."""

    id = models.BigAutoField(primary_key=True)
    group = models.ForeignKey(Group, models.CASCADE, related_name="+")
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    gpu_milli_ms = models.BigIntegerField(default=0)
    """Milli-cards × milliseconds."""
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["group", "user"], name="decayed_gpu_use_once")
        ]


class MeasuredUse(models.Model):
    """What one allocation has used of its cards so far."""

    allocation = models.OneToOneField(
        Allocation, models.CASCADE, primary_key=True, related_name="measured"
    )
    memory_samples = models.PositiveIntegerField()
    peak_mib = models.PositiveBigIntegerField()
    busy_samples = models.PositiveIntegerField()
    busy_pct_sum = models.PositiveBigIntegerField()
    """Of all samples: divided by their number, it is the mean utilisation."""
