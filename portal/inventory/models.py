"""Pools, nodes and cards."""

from typing import Any

from django.db import models
from django.db.models import F, Q

from portal.common.models import Entity
from portal.execution.backends import AGENTS, BACKENDS
from portal.execution.capabilities import Capabilities, of_agent
from portal.identity.models import User
from scheduler.core.model.states import AcceleratorState, LossKind, NodeHold, NodeState


def _choices(states: Any) -> list[tuple[str, str]]:
    return [(state.value, state.value) for state in states]


class Pool(Entity):
    """A set of cards with one purpose and one sharing mode."""

    class Purpose(models.TextChoices):
        """What the cards are for."""

        DEVELOPMENT = "development"
        TRAINING = "training"
        INFERENCE = "inference"

    class Mode(models.TextChoices):
        """How a card may be used."""

        EXCLUSIVE = "exclusive"
        SHARED = "shared"
        MIG = "mig"

    name = models.SlugField(max_length=63, unique=True)
    title_en = models.CharField(max_length=100)
    title_zh = models.CharField(max_length=100)
    purpose = models.CharField(max_length=16, choices=Purpose.choices)
    mode = models.CharField(max_length=16, choices=Mode.choices)
    slices_per_card = models.PositiveSmallIntegerField(default=1)
    """Equal slices of a card; 1 in a shared pool means fractions of any size; memory slices under MIG."""
    slice_mib = models.PositiveIntegerField(default=0)
    cpu_overcommit_pct = models.PositiveSmallIntegerField(default=100)
    default_time_limit_s = models.PositiveIntegerField()
    time_limit_s_max = models.PositiveIntegerField()
    is_open = models.BooleanField(default=True)
    backend = models.CharField(
        max_length=16,
        choices=[(name, name) for name in BACKENDS],
        default=AGENTS,
        db_default=AGENTS,
    )
    """What runs its work."""
    policy: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    """The fields that differ from `scheduler.core.model.policy.PoolPolicy()`; see `portal.inventory.policy`."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(mode="exclusive", slices_per_card=1)
                | Q(mode="shared", slices_per_card__in=[2, 4, 5, 8, 10], slice_mib__gt=0)
                | Q(mode="shared", slices_per_card=1, slice_mib=0)
                | Q(mode="mig", slices_per_card__in=[4, 8], slice_mib__gt=0),
                name="pool_slices_match_mode",
            ),
            models.CheckConstraint(
                condition=Q(cpu_overcommit_pct__gte=100), name="pool_overcommit_at_least_whole"
            ),
        ]

    @property
    def gives_shares(self) -> bool:
        """Return whether its cards are shared in fractions of any size."""
        return self.mode == self.Mode.SHARED and self.slices_per_card == 1


class PolicyChange(Entity):
    """One saved change of the policy of a pool: who, when, why and what."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="+", db_index=False)
    actor_name = models.CharField(max_length=100)
    actor = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    """Null is the system, or a user who was deleted."""
    reason = models.CharField(max_length=300, blank=True)
    undoes = models.ForeignKey("self", models.SET_NULL, null=True, related_name="undone_by")
    """The earlier change that this one took back."""
    rules: "models.JSONField[Any, Any]" = models.JSONField()
    """What it changed: objects as `portal.inventory.policy.RuleChange`."""

    class Meta:
        indexes = [models.Index(fields=["pool", "-id"], name="policy_change_by_pool")]


class Node(Entity):
    """A server with a node agent. What it reports changes only by a message of its own agent."""

    name = models.SlugField(max_length=63, unique=True)
    pool = models.ForeignKey(Pool, models.PROTECT, related_name="nodes")
    state = models.CharField(
        max_length=16, choices=_choices(NodeState), default=NodeState.JOINING.value
    )
    hold = models.CharField(
        max_length=16, choices=_choices(NodeHold), default=NodeHold.NONE.value, blank=True
    )
    drain_until = models.DateTimeField(null=True)
    """When a drain evicts work that may be moved; None is never."""
    drain_stops = models.BooleanField(default=False)
    """Whether the drain then also stops all other work."""
    address = models.CharField(max_length=200, blank=True)
    runtime = models.CharField(max_length=16, blank=True)
    is_isolated = models.BooleanField(default=False)
    agent_version = models.CharField(max_length=64, blank=True)
    agent_protocol = models.PositiveSmallIntegerField(default=0, db_default=0)
    """Version of the node protocol that its agent speaks; 0 before its first heartbeat."""
    saves_images = models.BooleanField(default=False, db_default=False)
    """Whether its agent can save a running container as an image."""
    builds_images = models.BooleanField(default=False, db_default=False)
    """Whether its agent can run a container that builds one."""
    faults: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    """Reported reasons why it cannot run work, now or soon: objects as `wire.facts.NodeFault`."""
    versions: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    """Versions of engine, runc, toolkit, driver and kernel, as far as they are installed."""
    cpu_milli = models.PositiveIntegerField(default=0)
    memory_mib = models.PositiveIntegerField(default=0)
    disk_mib = models.PositiveIntegerField(null=True)
    disk_free_mib = models.PositiveIntegerField(null=True)
    """Free space where containers and images are stored; None if unknown."""
    dataset_folders: "models.JSONField[Any, Any]" = models.JSONField(null=True)
    """Folders in its folder of data sets, and `first/second` those in them; None if unknown."""
    switch = models.CharField(max_length=63, blank=True)
    """Network switch or rack; nodes with the same value are close to each other."""
    boot_id = models.CharField(max_length=64, blank=True)
    """The boot that holds the lease."""
    rival_boot_id = models.CharField(max_length=64, blank=True)
    """Another boot that has sent a message since; it is accepted when the lease has expired."""
    rival_seq = models.BigIntegerField(default=-1)
    """`last_seq` when the rival sent its first message."""
    instance = models.CharField(max_length=200, blank=True, default="", db_default="")
    """The state directory of the agent that holds the lease; empty from agents that do not name it."""
    rival_instance = models.CharField(max_length=200, blank=True, default="", db_default="")
    """Another one of the same boot that has sent a message since."""
    agent_since_seq = models.BigIntegerField(default=-1, db_default=-1)
    """The first heartbeat of the present agent since it was started; -1 if that is not known."""
    has_applied = models.BooleanField(default=False, db_default=False)
    """Whether the present agent has applied a reply since it was started."""
    challenge_seq = models.BigIntegerField(default=-1, db_default=-1)
    """What an agent of before was instructed to count on from; -1 while none has spoken."""
    last_seq = models.BigIntegerField(default=-1)
    last_seen_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)
    """Send time of the last reply plus lease and grace; before it, no work is placed elsewhere."""
    machine_id = models.CharField(max_length=64, blank=True, default="", db_default="")
    """The machine across its boots, as it reports it; empty if it cannot tell."""
    lost_as = models.CharField(
        max_length=16, choices=_choices(LossKind), default="", db_default="", blank=True
    )
    """Why its kept work was given up while it was silent; empty when it was not."""
    lost_boot_id = models.CharField(max_length=64, blank=True, default="", db_default="")
    """The boot that was given up: when it speaks again, it was not off."""
    returned_at = models.DateTimeField(null=True)
    """When that boot spoke again."""
    awaits_report = models.BooleanField(default=False, db_default=False)
    """It has not been heard since the database was restored from a backup."""
    runs_forgotten = models.BooleanField(default=False, db_default=False)
    """Some of its containers are in `ForgottenContainer`."""
    fence_at = models.DateTimeField(null=True)
    """When its fence command is due, while it is silent and holds kept work."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=[state.value for state in NodeState]), name="node_state_known"
            ),
            models.CheckConstraint(
                condition=Q(hold__in=[hold.value for hold in NodeHold]), name="node_hold_known"
            ),
            models.CheckConstraint(
                condition=~Q(state="retired") | Q(lease_until=None),
                name="node_retired_has_no_lease",
            ),
        ]

    @property
    def capabilities(self) -> Capabilities:
        """Return what it can do, by its agent's last heartbeat."""
        return of_agent(
            self.runtime,
            self.agent_protocol,
            saves_images=self.saves_images,
            builds_images=self.builds_images,
        )


class NodeImageList(models.Model):
    """The images that a node has, as it last reported them."""

    node = models.OneToOneField(Node, models.CASCADE, primary_key=True, related_name="+")
    images: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    """Each as `wire.node_images.CachedImage`."""
    reported_at = models.DateTimeField()

    class Meta:
        db_table = "environments_nodeimagelist"
        """Its name of before it moved here, by which older processes know it during an upgrade."""


class NodeDatasetCache(models.Model):
    """The published data sets that a node keeps on its own disk, and those that it is to keep."""

    node = models.OneToOneField(Node, models.CASCADE, primary_key=True, related_name="+")
    limit_mib = models.PositiveBigIntegerField(default=0)
    versions: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    """As it last reported them, each as `wire.node_datasets.CachedVersion`."""
    reported_at = models.DateTimeField()
    wanted: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    """Ids of the versions that operators have ordered it to keep."""


class NodeChecks(models.Model):
    """What the doctor of a node last found on its host."""

    node = models.OneToOneField(Node, models.CASCADE, primary_key=True, related_name="+")
    checks: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    """Each as `wire.node_checks.NodeCheck`."""
    reported_at = models.DateTimeField()


class FenceAttempt(Entity):
    """One run of the fence command of a silent node."""

    node = models.ForeignKey(Node, models.CASCADE, related_name="fence_attempts", db_index=False)
    silent_since = models.DateTimeField()
    """When the node was heard last: attempts are counted for each silence."""
    ended_at = models.DateTimeField(null=True)
    """Null while it runs, and where the worker that ran it has ended."""
    exit_code = models.SmallIntegerField(null=True)
    """Null if it could not be run, or took too long."""
    output = models.CharField(max_length=2000, blank=True)
    """The end of what it printed."""

    class Meta:
        indexes = [models.Index(fields=["node", "-id"], name="fence_attempt_by_node")]


class NodeKey(Entity):
    """A key with which a node authenticates; two are valid while it rotates its key."""

    node = models.ForeignKey(Node, models.CASCADE, related_name="keys")
    digest = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    """When it was first used, which invalidated the keys before it."""


class Accelerator(Entity):
    """One physical card, identified by its UUID.

    `mode` and `slices` are part of a key that live devices refer to, so PostgreSQL itself refuses
    to change the slices of a card in use and to mix exclusive with shared use (see the migration).
    """

    uuid = models.CharField(max_length=64, unique=True)
    node = models.ForeignKey(Node, models.CASCADE, related_name="accelerators")
    pool = models.ForeignKey(Pool, models.PROTECT, related_name="accelerators")
    index = models.PositiveSmallIntegerField()
    island = models.PositiveSmallIntegerField(default=0)
    """Cards of one node with the same number reach each other over NVLink."""
    vendor = models.CharField(max_length=64)
    model = models.CharField(max_length=100)
    memory_mib = models.PositiveIntegerField()
    reserve_mib = models.PositiveIntegerField(default=0)
    mode = models.CharField(max_length=16, choices=Pool.Mode.choices)
    slices = models.PositiveSmallIntegerField(default=1)
    slice_mib = models.PositiveIntegerField()
    """Memory of one slice; of the whole card when `slices` is 1."""
    state = models.CharField(
        max_length=16, choices=_choices(AcceleratorState), default=AcceleratorState.OK.value
    )
    fault = models.CharField(max_length=64, blank=True)
    """Why it is not ok, as a code such as `xid_79` or `foreign_process`."""
    isolation: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    """Isolation between tenants that it enforces, strongest first; see `wire.facts.Isolation`."""
    mig: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    """Its MIG instances: objects as `wire.facts.MigDevice`."""
    mig_profiles: "models.JSONField[Any, Any]" = models.JSONField(default=list, db_default=[])
    """MIG profiles that it offers: objects as `wire.facts.MigProfile`; empty unless in MIG mode."""
    driver = models.CharField(max_length=64, blank=True)
    is_simulated = models.BooleanField(default=False)
    retests_asked = models.PositiveIntegerField(default=0)
    """How many retests operators have requested."""
    retests_done = models.PositiveIntegerField(default=0)
    """How many of these its node has carried out."""
    power_mw = models.PositiveIntegerField(null=True)
    energy_mj = models.BigIntegerField(null=True)
    """Since its driver was loaded."""
    temperature_c = models.SmallIntegerField(null=True)
    utilisation_pct = models.PositiveSmallIntegerField(null=True)
    memory_used_mib = models.PositiveIntegerField(null=True)
    sampled_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["id", "mode", "slices"], name="accelerator_claim_target"
            ),
            models.CheckConstraint(
                condition=Q(mode="exclusive", slices=1)
                | Q(mode="shared", slices__gte=1)
                | Q(mode="mig", slices__gt=1),
                name="accelerator_slices_match_mode",
            ),
            models.CheckConstraint(
                condition=Q(memory_mib__gte=F("slices") * F("slice_mib") + F("reserve_mib")),
                name="accelerator_slices_fit_memory",
            ),
            models.CheckConstraint(
                condition=Q(state__in=[state.value for state in AcceleratorState]),
                name="accelerator_state_known",
            ),
        ]

    @property
    def is_retest_due(self) -> bool:
        """Return whether its node has not yet carried out a requested retest."""
        return self.retests_asked > self.retests_done


class JoinToken(Entity):
    """A one-time permission for one named node to join one pool."""

    digest = models.CharField(max_length=64, unique=True)
    node_name = models.SlugField(max_length=63)
    pool = models.ForeignKey(Pool, models.CASCADE, related_name="+")
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
