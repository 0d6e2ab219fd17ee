"""What workloads hold on nodes: allocations and their devices.

The migrations add the composite key by which a live device pins its card's sharing mode, and the
trigger that keeps the shares of one card below what it has.
"""

from django.db import models
from django.db.models import Q

from portal.common.models import Entity
from portal.inventory.models import Accelerator, Node, Pool
from portal.workloads.models.workloads import Workload
from scheduler.core.model.states import LIVE_ALLOCATION, AllocationState

_LIVE = [state.value for state in sorted(LIVE_ALLOCATION)]


class Allocation(Entity):
    """What one replica holds on one node from placement until the node says it is gone.

    On the wire its name is `<workload id, hex>.<rank>`, so that the rising epoch fences every
    earlier attempt of the same replica.
    """

    workload = models.ForeignKey(Workload, models.CASCADE, related_name="allocations")
    rank = models.PositiveSmallIntegerField(default=0)
    epoch = models.PositiveIntegerField()
    node = models.ForeignKey(Node, models.PROTECT, related_name="+")
    pool = models.ForeignKey(Pool, models.PROTECT, related_name="+")
    state = models.CharField(
        max_length=16,
        choices=[(s.value, s.value) for s in AllocationState],
        default=AllocationState.RESERVED.value,
    )
    cpu_milli = models.PositiveIntegerField()
    memory_mib = models.PositiveIntegerField()
    total_gpu_milli = models.PositiveIntegerField(default=0)
    total_gpu_memory_mib = models.PositiveIntegerField(default=0)

    phase = models.CharField(max_length=16, blank=True)
    """Last word of the node: a `wire.messages.Phase`, or empty before the first."""
    detail = models.CharField(max_length=200, blank=True)
    progress_pct = models.PositiveSmallIntegerField(null=True)
    """How far the step in `detail` has come; null where nobody can tell."""
    port = models.PositiveIntegerField(null=True)
    isolation = models.CharField(max_length=16, blank=True, default="", db_default="")
    """What keeps others off its cards, as its node has proven; empty while it has not."""
    bound_at = models.DateTimeField(null=True)
    stop_grace_s = models.PositiveIntegerField(null=True)
    """Between notice and stop, where an eviction grants its own; null is the node's."""
    accounted_until = models.DateTimeField(null=True)
    """Up to when what it holds is in `UsedCards` and `DecayedUse`; null is not at all yet."""
    gpus_since = models.DateTimeField(null=True)
    """Since when it has its present cards; null is from the beginning."""
    released_gpu_milli_ms = models.BigIntegerField(default=0, db_default=0)
    """Milli-cards × milliseconds of cards that it has given up while it lived."""
    unwanted_seq = models.BigIntegerField(null=True)
    """First reply to the node that left it out: once applied there, it can never start."""
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    released_at = models.DateTimeField(null=True)
    exit_code = models.SmallIntegerField(null=True)
    exit_cause = models.CharField(max_length=32, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workload", "rank", "epoch"], name="allocation_once_per_epoch"
            ),
            models.UniqueConstraint(
                fields=["workload", "rank"],
                condition=Q(state__in=_LIVE),
                name="allocation_one_live_per_rank",
            ),
            models.CheckConstraint(
                condition=Q(state__in=[s.value for s in AllocationState]),
                name="allocation_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state="released", released_at__isnull=False)
                | (~Q(state="released") & Q(released_at=None)),
                name="allocation_released_once",
            ),
        ]
        indexes = [
            models.Index(
                fields=["node"], condition=Q(state__in=_LIVE), name="allocation_live_on_node"
            ),
        ]

    @property
    def wire_name(self) -> str:
        """Return the name of this replica in messages to and from nodes."""
        return f"{self.workload_id.hex}.{self.rank}"

    @property
    def has_devices(self) -> bool:
        """Tell whether it holds any part of a card."""
        return bool(self.total_gpu_milli or self.total_gpu_memory_mib)


class AllocationDevice(models.Model):
    """One card, slice or share held by an allocation.

    Shares of one card are told apart by `slot`; a trigger keeps them below what the card has, and
    apart from whoever holds it whole. A partition in hardware is the slots that it covers.

    While live, `claim_mode` repeats the card's mode; the composite foreign key
    `(accelerator, claim_mode, slices)` then pins the card's cut. Release sets it to null, which
    takes the row out of the key and of the unique index.
    """

    id = models.BigAutoField(primary_key=True)
    allocation = models.ForeignKey(Allocation, models.CASCADE, related_name="devices")
    accelerator = models.ForeignKey(Accelerator, models.PROTECT, related_name="+")
    slot = models.PositiveSmallIntegerField(default=0)
    slices = models.PositiveSmallIntegerField(default=1)
    gpu_milli = models.PositiveSmallIntegerField(default=0, db_default=0)
    """Thousandths of its processors that a share has; 0 is no share but a card or a slice."""
    memory_mib = models.PositiveIntegerField()
    claim_mode = models.CharField(max_length=16, null=True)  # noqa: DJ001 - null takes it out of the key
    released_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["accelerator", "slot"],
                condition=Q(released_at=None),
                name="device_one_live_holder",
            ),
            models.CheckConstraint(
                condition=Q(gpu_milli=0, slot__lt=models.F("slices"))
                | Q(gpu_milli__range=(1, 999), slices=1),
                name="device_slot_exists",
            ),
            models.CheckConstraint(
                condition=Q(released_at=None, claim_mode__isnull=False)
                | Q(released_at__isnull=False, claim_mode=None),
                name="device_claim_while_live",
            ),
        ]
