"""Workloads, what they hold, and everything that ever happened to them.

Who writes which table and state is listed in `tests/architecture/test_writes.py`. The migration adds
what Django cannot express: the trigger that refuses illegal transitions and falling epochs, the
append-only event log, and the composite key by which a live device pins its card's sharing mode.
"""

from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from portal.catalog.models import Image
from portal.common.clock import now
from portal.common.models import Entity
from portal.inventory.models import Accelerator, Node, Pool
from portal.tenancy.models import Group
from portal.workloads.measured import MeasuredUse
from scheduler.core.states import LIVE_ALLOCATION, AllocationState, WorkloadState

__all__ = ["MeasuredUse"]  # and every model below: Django looks for tables here
_LIVE = [state.value for state in sorted(LIVE_ALLOCATION)]


class Workload(Entity):
    """What a user submitted. `version` rises with every write, `epoch` with every placement."""

    class Kind(models.TextChoices):
        """What it is for."""

        ENVIRONMENT = "environment"
        TRAINING = "training"

    kind = models.CharField(max_length=16, choices=Kind.choices)
    name = models.CharField(max_length=63)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    group = models.ForeignKey(Group, models.PROTECT, related_name="+")
    pool = models.ForeignKey(Pool, models.PROTECT, related_name="+")
    image = models.ForeignKey(Image, models.PROTECT, related_name="+")

    replicas = models.PositiveSmallIntegerField(default=1)
    cards = models.PositiveSmallIntegerField(default=0)
    slices = models.PositiveSmallIntegerField(default=0)
    """Of one card; under MIG the memory slices that `mig_profile` covers."""
    share_milli = models.PositiveSmallIntegerField(default=0, db_default=0)
    """Guaranteed thousandths of one card's processors, instead of cards or slices."""
    share_mib = models.PositiveIntegerField(default=0, db_default=0)
    """Guaranteed memory of that share."""
    share_ceiling_mib = models.PositiveIntegerField(null=True)
    """What the share may grow to where its pool lets it; null is as far as the pool allows."""
    mig_profile = models.CharField(max_length=32, blank=True, default="", db_default="")
    """Such as `1g.10gb`; empty unless its pool is cut in hardware."""
    cpu_milli = models.PositiveIntegerField()
    memory_mib = models.PositiveIntegerField()
    priority = models.SmallIntegerField(default=0)
    time_limit_s = models.PositiveIntegerField()
    retries_max = models.PositiveSmallIntegerField(default=0)
    restart: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    """When it starts again by itself; `portal.workloads.retry.policy_of` reads it."""
    spec: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    """`{"command": [str], "script": str, "env": {str: str}, "launcher": str, "notice_signal": str}`;
    the last two may be missing."""
    command_digest = models.CharField(max_length=32, blank=True)
    """Same command, same digest: run times are learned by it."""

    state = models.CharField(
        max_length=16,
        choices=[(s.value, s.value) for s in WorkloadState],
        default=WorkloadState.QUEUED.value,
    )
    version = models.PositiveIntegerField(default=0)
    epoch = models.PositiveIntegerField(default=0)
    outcome = models.CharField(max_length=16, blank=True)
    """While stopping: the state to reach once every container is gone."""
    cause = models.CharField(max_length=64, blank=True)
    """Code of why it is in this state."""
    cause_params: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    exit_code = models.SmallIntegerField(null=True)
    retries = models.PositiveSmallIntegerField(default=0)
    retry_at = models.DateTimeField(null=True)
    """While queued after a failure: not to start before."""

    preemptible = models.BooleanField(default=False)
    """May be stopped for others, and is queued again then."""
    evictions = models.PositiveIntegerField(default=0)
    """How often that has happened; it never counts as a retry."""
    yields_to = models.UUIDField(null=True)
    """For whom it was evicted last; cleared by the next placement."""
    attained_card_s = models.PositiveBigIntegerField(default=0)
    """Card-seconds that its ended attempts have had."""
    checkpointed_at = models.DateTimeField(null=True)
    """When its work was last saved, by its own word."""
    priority_until = models.DateTimeField(null=True)
    """When `priority` falls back to normal; null is never."""

    submitted_at = models.DateTimeField(default=now)
    queued_at = models.DateTimeField(default=now)
    started_at = models.DateTimeField(null=True)
    """Start of the present or last run."""
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=[s.value for s in WorkloadState]), name="workload_state_known"
            ),
            models.CheckConstraint(
                condition=Q(cards=0) | Q(slices=0), name="workload_cards_or_slices"
            ),
            models.CheckConstraint(
                condition=Q(share_milli=0, share_mib=0, share_ceiling_mib=None)
                | Q(share_milli__range=(1, 999), share_mib__gt=0, cards=0, slices=0),
                name="workload_share_is_less_than_a_card",
            ),
            models.CheckConstraint(
                condition=Q(share_ceiling_mib=None)
                | Q(share_ceiling_mib__gte=models.F("share_mib")),
                name="workload_ceiling_above_guarantee",
            ),
            models.CheckConstraint(
                condition=Q(mig_profile="") | Q(slices__gt=0), name="workload_profile_has_slices"
            ),
            models.CheckConstraint(condition=Q(replicas__gte=1), name="workload_has_a_replica"),
        ]
        indexes = [
            models.Index(fields=["owner", "-id"], name="workload_by_owner"),
            models.Index(fields=["group", "-id"], name="workload_by_group"),
            models.Index(
                fields=["pool", "-priority", "submitted_at", "id"],
                condition=Q(state="queued"),
                name="workload_queue",
            ),
            models.Index(
                fields=["state", "id"],
                condition=~Q(state__in=["succeeded", "failed", "cancelled", "expired"]),
                name="workload_active",
            ),
        ]


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
    gpu_milli = models.PositiveIntegerField(default=0)
    gpu_memory_mib = models.PositiveIntegerField(default=0)

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
    cards_since = models.DateTimeField(null=True)
    """Since when it has its present cards; null is from the beginning."""
    metered_before = models.BigIntegerField(default=0, db_default=0)
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
        return bool(self.gpu_milli or self.gpu_memory_mib)


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
    share_milli = models.PositiveSmallIntegerField(default=0, db_default=0)
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
                condition=Q(share_milli=0, slot__lt=models.F("slices"))
                | Q(share_milli__range=(1, 999), slices=1),
                name="device_slot_exists",
            ),
            models.CheckConstraint(
                condition=Q(released_at=None, claim_mode__isnull=False)
                | Q(released_at__isnull=False, claim_mode=None),
                name="device_claim_while_live",
            ),
        ]


class Idleness(models.Model):
    """When a running notebook was last in use, and whether it has its cards.

    Only `portal.workloads.idle` and `parking` write it. A row of an earlier epoch says nothing.
    """

    class Cards(models.TextChoices):
        """Where its cards are."""

        HELD = "held"
        LEAVING = "leaving"
        """Its node was told, and has not said yet that they are free."""
        AWAY = "away"
        ASKED = "asked"
        """It waits for them in the queue, as `request`."""
        RETURNING = "returning"
        """They are its own again, and its node has not said yet that its work is on them."""

    workload = models.OneToOneField(
        Workload, models.CASCADE, primary_key=True, related_name="idleness"
    )
    epoch = models.PositiveIntegerField()
    told_at = models.DateTimeField()
    """When its node last said anything of its use; older than minutes, nothing is known."""
    active_at = models.DateTimeField()
    signal = models.CharField(max_length=16)
    """What was the last use."""
    mark = models.BigIntegerField(default=0)
    """The node's own mark of that use."""
    warned_of = models.CharField(max_length=8, blank=True)
    """`release` or `stop`, if its owner was told that this comes."""
    warned_at = models.DateTimeField(null=True)
    keeps = models.PositiveSmallIntegerField(default=0)
    """How often its owner has said "keep it" since the last use."""
    cards = models.CharField(max_length=10, choices=Cards.choices, default=Cards.HELD)
    moved_at = models.DateTimeField(null=True)
    """Since when they are there."""
    left_at = models.DateTimeField(null=True)
    request = models.UUIDField(null=True)
    """Its name in the queue while it waits for them."""
    kept_words = models.CharField(max_length=200, blank=True)
    """Why its node could not take it off its cards; it is not tried again before the next use."""


class PoolQueue(models.Model):
    """What waits in one pool and why, as the last scheduling pass found it: one row per pool.

    Three arrays of the same length say it for every workload; thousands of them cost one write.
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


class UsedCards(models.Model):
    """Cards that were held, in milli-cards × milliseconds, by day of the site: the meter."""

    id = models.BigAutoField(primary_key=True)
    group = models.ForeignKey(Group, models.PROTECT, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    pool = models.ForeignKey(Pool, models.PROTECT, related_name="+")
    day = models.DateField()
    held = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["group", "user", "pool", "day"], name="used_cards_once_a_day"
            ),
        ]


class DecayedUse(models.Model):
    """Past use of cards by one user in one leaf group, decayed up to `at`; for fair share."""

    id = models.BigAutoField(primary_key=True)
    group = models.ForeignKey(Group, models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    held = models.BigIntegerField(default=0)
    """Milli-cards × milliseconds."""
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["group", "user"], name="decayed_use_once")]


class WorkloadEvent(models.Model):
    """One transition, written in its transaction. Append-only; `id` is the live sequence number."""

    id = models.BigAutoField(primary_key=True)
    workload = models.ForeignKey(Workload, models.CASCADE, related_name="events")
    owner_id = models.UUIDField()
    group_id = models.UUIDField()
    pool_id = models.UUIDField()
    at = models.DateTimeField(default=now)
    from_state = models.CharField(max_length=16, blank=True)
    to_state = models.CharField(max_length=16)
    epoch = models.PositiveIntegerField()
    cause = models.CharField(max_length=64, blank=True)
    params: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    actor_kind = models.CharField(max_length=8)
    actor_id = models.CharField(max_length=36, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["workload", "id"], name="event_by_workload"),
            models.Index(fields=["owner_id", "-id"], name="event_by_owner"),
            models.Index(fields=["group_id", "-id"], name="event_by_group"),
            models.Index(fields=["pool_id", "-id"], name="event_by_pool"),
        ]


class SchedulerPass(models.Model):
    """The last pass of the scheduling loop and the free capacity that it left: one row."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    at = models.DateTimeField(default=now)
    boards: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    """List of `scheduler.core.plan.PoolBoard` as objects, pool ids as strings."""
    reservations: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    """List of `scheduler.core.plan.Reserve` as objects."""

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="scheduler_pass_one_row")]
