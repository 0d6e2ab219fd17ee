"""When running notebooks were last in use, and where their GPUs are."""

from django.db import models

from portal.workloads.models.workloads import Workload


class Idleness(models.Model):
    """When a running notebook or web app was last in use, and whether a notebook has its GPUs.

    Only `portal.workloads.idle.activity` and `portal.workloads.idle.parking` write it. A row of an
    earlier epoch is ignored.
    """

    class GpuState(models.TextChoices):
        """Where its GPUs are."""

        HELD = "held"
        RELEASING = "releasing"
        """Its node was ordered to release them, and has not yet verified that they are free."""
        RELEASED = "released"
        REQUESTED = "requested"
        """It waits for GPUs in the queue, as `gpu_request`."""
        RESTORING = "restoring"
        """They are allocated to it again; its node has not yet reported that it uses them."""

    workload = models.OneToOneField(
        Workload, models.CASCADE, primary_key=True, related_name="idleness"
    )
    epoch = models.PositiveIntegerField()
    reported_at = models.DateTimeField()
    """When its node last reported its use; after some minutes without a report, its use is unknown.

    Of a web app: when the sweep last looked, as its use goes through the portal.
    """
    active_at = models.DateTimeField()
    signal = models.CharField(max_length=16)
    """Kind of the last use."""
    use_mark = models.BigIntegerField(default=0)
    """The node's own number of that use."""
    warned_of = models.CharField(max_length=8, blank=True)
    """`release` or `stop`, if its owner was warned of it."""
    warned_at = models.DateTimeField(null=True)
    keeps = models.PositiveSmallIntegerField(default=0)
    """How often its owner has postponed the next step since the last use."""
    gpu_state = models.CharField(max_length=10, choices=GpuState.choices, default=GpuState.HELD)
    gpu_state_since = models.DateTimeField(null=True)
    """When `gpu_state` last changed."""
    gpus_released_at = models.DateTimeField(null=True)
    gpu_request = models.UUIDField(null=True)
    """Id of its request in the queue while it waits for GPUs."""
    not_released_detail = models.CharField(max_length=200, blank=True)
    """Why its node could not release them; this is not tried again before the next use."""
