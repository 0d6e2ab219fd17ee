"""Allocations of workloads on nodes, and their devices.

The migrations add a composite foreign key, so that the mode and slices of a card cannot change while
a device of it is held, and a trigger that refuses fractions of a card beyond what the card has.
"""

from typing import Any

from django.db import models
from django.db.models import F, Q

from portal.common.clock import now
from portal.common.models import Entity
from portal.identity.models import User
from portal.inventory.models import Accelerator, Node, Pool
from portal.workloads.models.workloads import Workload
from scheduler.core.model.states import LIVE_ALLOCATION, AllocationState
from wire.words import SilenceTerm

_LIVE = [state.value for state in sorted(LIVE_ALLOCATION)]


class Allocation(Entity):
    """The resources of one replica on one node, from its placement until its container has provably ended.

    On the wire its name is `<workload id, hex>.<rank>`; attempts differ only by epoch, so that a
    message with a higher epoch fences every earlier attempt of the same replica.
    """

    workload = models.ForeignKey(
        Workload, models.CASCADE, related_name="allocations", db_index=False
    )
    rank = models.PositiveSmallIntegerField(default=0)
    epoch = models.PositiveIntegerField()
    node = models.ForeignKey(Node, models.PROTECT, related_name="+")
    pool = models.ForeignKey(Pool, models.PROTECT, related_name="+")
    owner = models.ForeignKey(User, models.PROTECT, null=True, related_name="+", db_index=False)
    """Whose attempt it was, of work that was handed over since; null is the owner of the work."""
    state = models.CharField(
        max_length=16,
        choices=[(s.value, s.value) for s in AllocationState],
        default=AllocationState.RESERVED.value,
    )
    silence = models.CharField(
        max_length=8,
        choices=[(term.value, term.value) for term in SilenceTerm],
        default=SilenceTerm.REPLACE.value,
        db_default=SilenceTerm.REPLACE.value,
    )
    """What happens to it while its node is not heard, fixed at its placement."""
    cpu_milli = models.PositiveIntegerField()
    memory_mib = models.PositiveIntegerField()
    total_gpu_milli = models.PositiveIntegerField(default=0)
    total_gpu_memory_mib = models.PositiveIntegerField(default=0)
    gpu_milli_by_model: "models.JSONField[Any, Any]" = models.JSONField(default=dict, db_default={})
    """`total_gpu_milli` by the model of its cards, as they were counted when it got them."""

    phase = models.CharField(max_length=16, blank=True)
    """Last reported `wire.words.Phase`; empty before the first report."""
    detail = models.CharField(max_length=200, blank=True)
    progress_pct = models.PositiveSmallIntegerField(null=True)
    """Progress of the step in `detail`; null where it cannot be measured."""
    port = models.PositiveIntegerField(null=True)
    isolation = models.CharField(max_length=16, blank=True, default="", db_default="")
    """Isolation from other tenants on its cards, as its node has verified it; empty before that."""
    bound_at = models.DateTimeField(null=True)
    stop_grace_s = models.PositiveIntegerField(null=True)
    """Time between notice and stop, where an eviction sets its own; null is the default of the node."""
    accounted_until = models.DateTimeField(null=True)
    """Its use up to this moment is in `DailyGpuUse` and `DecayedGpuUse`; null if none of it is."""
    gpus_since = models.DateTimeField(null=True)
    """Since when it has its current cards; null is since it was created."""
    released_gpu_milli_ms = models.BigIntegerField(default=0, db_default=0)
    """Milli-GPUs × milliseconds on cards that it released before its end."""
    unwanted_seq = models.BigIntegerField(null=True)
    """First reply to the node without it: once the node has applied that reply, it can never start."""
    started_at = models.DateTimeField(null=True)
    ready_at = models.DateTimeField(null=True)
    """When its container was first ready: it ran, and had answered its probe where it has one."""
    finished_at = models.DateTimeField(null=True)
    """When its container ended, by the portal's clock."""
    released_at = models.DateTimeField(null=True)
    """When its end was proven: its devices were free from then on."""
    billed_until = models.DateTimeField(null=True)
    """Up to when it counts as use: its end, which may be long before the proof of it. Null of what has not
    ended, and of what was released before there was this column: that counts up to its release."""
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
            models.CheckConstraint(
                condition=Q(finished_at__gte=F("started_at")), name="allocation_ends_after_start"
            ),
            models.CheckConstraint(
                condition=Q(released_at__gte=F("created_at")), name="allocation_released_after_made"
            ),
        ]
        indexes = [
            models.Index(
                fields=["node"], condition=Q(state__in=_LIVE), name="allocation_live_on_node"
            ),
            models.Index(fields=["released_at"], name="allocation_by_release"),
        ]

    @property
    def wire_name(self) -> str:
        """Return the name of this replica in messages to and from nodes."""
        return f"{self.workload_id.hex}.{self.rank}"

    @property
    def has_devices(self) -> bool:
        """Return whether it holds any part of a card."""
        return bool(self.total_gpu_milli or self.total_gpu_memory_mib)


class AllocationDevice(models.Model):
    """A card, a slice or a fraction of a card held by an allocation.

    Fractions of one card have different slots; a trigger refuses more than the card has, and fractions
    of a card that another allocation holds whole. A MIG instance is the slots that it covers.

    Together these rows are the ledger of what was held, from when to when; the meter
    (`portal.metering`) is derived from it.

    Until it is released, `claim_mode` repeats the card's mode; the composite foreign key
    `(accelerator, claim_mode, slices)` then fixes mode and slices of the card. Release sets it to null,
    which takes the row out of the key and of the unique index.
    """

    id = models.BigAutoField(primary_key=True)
    allocation = models.ForeignKey(Allocation, models.CASCADE, related_name="devices")
    accelerator = models.ForeignKey(Accelerator, models.PROTECT, related_name="+")
    slot = models.PositiveSmallIntegerField(default=0)
    slices = models.PositiveSmallIntegerField(default=1)
    gpu_milli = models.PositiveSmallIntegerField(default=0, db_default=0)
    """Thousandths of its processors, for a fraction; 0 for a whole card or a slice."""
    counted_milli = models.PositiveSmallIntegerField(default=0, db_default=0)
    """Thousandths of a GPU that it counts as, for quotas and the meter."""
    memory_mib = models.PositiveIntegerField()
    held_from = models.DateTimeField(default=now)
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
                condition=Q(gpu_milli=0, slot__lt=F("slices"))
                | Q(gpu_milli__range=(1, 999), slices=1),
                name="device_slot_exists",
            ),
            models.CheckConstraint(
                condition=Q(released_at=None, claim_mode__isnull=False)
                | Q(released_at__isnull=False, claim_mode=None),
                name="device_claim_while_live",
            ),
            models.CheckConstraint(
                condition=Q(released_at__gte=F("held_from")), name="device_released_after_held"
            ),
        ]
