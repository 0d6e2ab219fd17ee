"""When running notebooks were last in use, and where their GPUs are."""

from django.db import models

from portal.workloads.models.workloads import Workload


class Idleness(models.Model):
    """When a running notebook was last in use, and whether it has its cards.

    Only `portal.workloads.idle.activity` and `parking` write it. A row of an earlier epoch says nothing.
    """

    class GpuState(models.TextChoices):
        """Where its GPUs are."""

        HELD = "held"
        RELEASING = "releasing"
        """Its node is to take it off them, and has not proven yet that they are free."""
        RELEASED = "released"
        REQUESTED = "requested"
        """It waits for GPUs in the queue, as `gpu_request`."""
        RESTORING = "restoring"
        """They are its own again, and its node has not reported yet that its work is on them."""

    workload = models.OneToOneField(
        Workload, models.CASCADE, primary_key=True, related_name="idleness"
    )
    epoch = models.PositiveIntegerField()
    reported_at = models.DateTimeField()
    """When its node last said anything of its use; older than minutes, nothing is known."""
    active_at = models.DateTimeField()
    signal = models.CharField(max_length=16)
    """What was the last use."""
    use_mark = models.BigIntegerField(default=0)
    """The node's own mark of that use."""
    warned_of = models.CharField(max_length=8, blank=True)
    """`release` or `stop`, if its owner was told that this comes."""
    warned_at = models.DateTimeField(null=True)
    keeps = models.PositiveSmallIntegerField(default=0)
    """How often its owner has said "keep it" since the last use."""
    gpu_state = models.CharField(max_length=10, choices=GpuState.choices, default=GpuState.HELD)
    gpu_state_since = models.DateTimeField(null=True)
    """Since when they are there."""
    gpus_released_at = models.DateTimeField(null=True)
    gpu_request = models.UUIDField(null=True)
    """Its name in the queue while it waits for them."""
    not_released_detail = models.CharField(max_length=200, blank=True)
    """Why its node could not take it off its cards; it is not tried again before the next use."""
