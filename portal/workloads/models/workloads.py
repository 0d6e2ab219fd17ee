"""Workloads and the log of their transitions.

The migrations add what Django cannot express: triggers that refuse illegal transitions, falling
epochs, and changes of the event log.
"""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F, Q

from portal.apps.models import WebApp
from portal.catalog.models import Image
from portal.common.clock import now
from portal.common.models import Entity
from portal.common.uses.files import FILE_REFERENCE_MAX
from portal.common.work_kinds import APP, KINDS, WorkTerms
from portal.identity.models import User
from portal.inventory.models import Pool
from portal.tenancy.models import Group
from portal.workloads.app_folders import APP_FOLDER_MAX
from portal.workloads.models.queue_controls import JobArray
from scheduler.core.model.states import WorkloadState
from wire.words import Probe, SilenceTerm


class Workload(Entity):
    """A notebook, a job or a session of a web app. `version` rises with every transition, `epoch` with every placement."""

    class HeldBy(models.TextChoices):
        """Who holds queued work, from the weakest; the same or a stronger one releases it."""

        EVICTIONS = "evictions"
        """The platform, because it was evicted again and again without getting anywhere."""
        USER = "user"
        GROUP_ADMIN = "group_admin"
        OPERATOR = "operator"
        NEW_OWNER = "new_owner"
        """Until the person has agreed to whom it was handed over; nobody else releases it."""

    kind = models.CharField(max_length=16)
    """One of `portal.common.work_kinds.KINDS`."""
    name = models.CharField(max_length=63)
    owner = models.ForeignKey(User, models.PROTECT, related_name="+", db_index=False)
    group = models.ForeignKey(Group, models.PROTECT, related_name="+", db_index=False)
    pool = models.ForeignKey(Pool, models.PROTECT, related_name="+")
    image = models.ForeignKey(Image, models.PROTECT, related_name="+")

    array = models.ForeignKey(
        JobArray, models.PROTECT, null=True, related_name="tasks", db_index=False
    )
    array_index = models.PositiveIntegerField(null=True)
    heads_array = models.BooleanField(default=False, db_default=False)
    """The task with the least index: it stands for its array in lists."""

    replicas = models.PositiveSmallIntegerField(default=1)
    gpus = models.PositiveSmallIntegerField(default=0)
    slices = models.PositiveSmallIntegerField(default=0)
    """Slices of one card; under MIG, the memory slices that `mig_profile` covers."""
    gpu_milli = models.PositiveSmallIntegerField(default=0, db_default=0)
    """Guaranteed thousandths of one GPU's processors, instead of GPUs or slices."""
    gpu_memory_mib = models.PositiveIntegerField(default=0, db_default=0)
    """Guaranteed memory of that fraction."""
    gpu_memory_ceiling_mib = models.PositiveIntegerField(null=True)
    """Memory up to which the fraction may burst; null is as far as its pool allows."""
    mig_profile = models.CharField(max_length=32, blank=True, default="", db_default="")
    """Such as `1g.10gb`; empty unless its pool uses MIG."""
    gpu_models: "ArrayField[Any, Any]" = ArrayField(
        models.CharField(max_length=100), default=list, blank=True
    )
    """Names of the models that it accepts, as `portal.inventory.gpu_models` has them; none is any."""
    gpu_memory_min_mib = models.PositiveIntegerField(default=0, db_default=0)
    """Least memory of each GPU."""
    gpu_features: "ArrayField[Any, Any]" = ArrayField(
        models.CharField(max_length=16), default=list, blank=True
    )
    """What each GPU must be able to do, such as `fp8`."""
    gpu_bandwidth_min_gbps = models.PositiveIntegerField(default=0, db_default=0)
    """Least memory bandwidth of each GPU, in gigabytes per second."""
    cpu_milli = models.PositiveIntegerField()
    memory_mib = models.PositiveIntegerField()
    priority = models.SmallIntegerField(default=0)
    group_rank = models.SmallIntegerField(default=0, db_default=0)
    """Its place among waiting work of its group and priority, where admins of the group set one; the smallest is first."""
    time_limit_s = models.PositiveIntegerField(null=True)
    """Null where the traits of its kind say that its end is open."""
    retries_max = models.PositiveSmallIntegerField(default=0)
    restart: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    """When it is restarted automatically; see `portal.workloads.retry.parse_restart_policy`."""
    spec: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    """`{"command": [str], "script": str, "env": {str: str}, "launcher": str, "notice_signal": str}`;
    the last two may be missing.
    `{"home": bool, "volumes": [{"id", "name"}], "inputs": [{"job", "name"}]}` where it has them.
    `{"writes": bool, "served_at": str}` of an app: whether it may write to its folder, as far as its owner may,
    and at which address it is served; see `portal.apps.commands`.
    `{"probe": {...}}` of a replica: the fields of a `Probe`."""
    files: "ArrayField[Any, Any]" = ArrayField(
        models.CharField(max_length=FILE_REFERENCE_MAX), default=list, blank=True
    )
    """What its spec needs that not every node has, as `portal.common.uses.files` writes it."""
    tags: "ArrayField[Any, Any]" = ArrayField(
        models.CharField(max_length=32), default=list, db_default=[], blank=True
    )
    """Words by which lists find it; see `portal.workloads.tags`."""
    app = models.ForeignKey(WebApp, models.PROTECT, null=True, related_name="+", db_index=False)
    """Of a session of a web app: which one."""
    app_folder = models.CharField(max_length=APP_FOLDER_MAX, blank=True, default="", db_default="")
    """The folder that it shows, as `portal.workloads.app_folders` writes it."""
    command_digest = models.CharField(max_length=32, blank=True)
    """Equal for equal commands; run times are learned by it."""

    state = models.CharField(
        max_length=16,
        choices=[(s.value, s.value) for s in WorkloadState],
        default=WorkloadState.QUEUED.value,
    )
    version = models.PositiveIntegerField(default=0)
    epoch = models.PositiveIntegerField(default=0)
    epoch_floor = models.PositiveIntegerField(default=0, db_default=0)
    """No attempt gets a lower epoch: nodes may know later ones than a database that was restored."""
    outcome = models.CharField(max_length=16, blank=True)
    """While stopping: the state that follows when every container has ended."""
    cause = models.CharField(max_length=64, blank=True)
    """Code of the reason for its state."""
    cause_params: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    exit_code = models.SmallIntegerField(null=True)
    retries = models.PositiveSmallIntegerField(default=0)
    retry_at = models.DateTimeField(null=True)
    """While queued after a failure: the earliest next start."""

    silence = models.CharField(
        max_length=8,
        choices=[(term.value, term.value) for term in SilenceTerm],
        blank=True,
        default="",
        db_default="",
    )
    """What happens to it while its node is not heard; empty is what its pool says."""
    preemptible = models.BooleanField(default=False)
    """May be evicted for other work; it is queued again then."""
    evictions = models.PositiveIntegerField(default=0)
    """How often it was evicted; an eviction never counts as a retry."""
    fruitless_evictions = models.PositiveSmallIntegerField(default=0, db_default=0)
    """How many evictions in a row have met it without progress; see `portal.workloads.state.eviction_brake`."""
    evicted_for = models.UUIDField(null=True)
    """The work for which it was last evicted; cleared by the next placement."""
    attained_gpu_s = models.PositiveBigIntegerField(default=0)
    """GPU-seconds of its ended attempts."""
    checkpointed_at = models.DateTimeField(null=True)
    """When it last reported a checkpoint."""
    priority_until = models.DateTimeField(null=True)
    """When `priority` falls back to normal; null is never."""

    held_by = models.CharField(max_length=11, blank=True, default="", db_default="")
    """Who keeps it from starting once it is queued, one of `HeldBy`; empty is not held."""
    not_before = models.DateTimeField(null=True)
    """Its first start is no earlier (Slurm: `--begin`)."""

    simulated = models.BooleanField(default=False, db_default=False)
    """Of the demo's made-up past or activity: it may be removed with its events, which nothing else may."""

    owner_left_at = models.DateTimeField(null=True)
    """Since when it is known that its owner may not submit to its group any more; null is that it may."""
    heir = models.ForeignKey(User, models.PROTECT, null=True, related_name="+", db_index=False)
    """Whose it becomes when nothing of its present attempt is left; null is that it stays its owner's."""
    handed_over_at = models.DateTimeField(null=True)
    """When it came to its present owner; null is that it was submitted by the owner."""

    submitted_at = models.DateTimeField(default=now)
    queued_at = models.DateTimeField(default=now)
    started_at = models.DateTimeField(null=True)
    """Start of the current or last run."""
    finished_at = models.DateTimeField(null=True)
    removed_at = models.DateTimeField(null=True)
    """When it was deleted after its end: no list has it, its folders go, and what it held stays counted."""
    must_end_at = models.DateTimeField(null=True)
    """When the present attempt must have left its GPUs, besides its time limit: an advance reservation
    needs them then, or the one inside which it runs ends. Set by each placement."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=[s.value for s in WorkloadState]), name="workload_state_known"
            ),
            models.CheckConstraint(
                condition=Q(gpus=0) | Q(slices=0), name="workload_gpus_or_slices"
            ),
            models.CheckConstraint(
                condition=Q(gpu_milli=0, gpu_memory_mib=0, gpu_memory_ceiling_mib=None)
                | Q(gpu_milli__range=(1, 999), gpu_memory_mib__gt=0, gpus=0, slices=0),
                name="workload_share_is_less_than_a_gpu",
            ),
            models.CheckConstraint(
                condition=Q(gpu_memory_ceiling_mib=None)
                | Q(gpu_memory_ceiling_mib__gte=models.F("gpu_memory_mib")),
                name="workload_ceiling_above_guarantee",
            ),
            models.CheckConstraint(
                condition=Q(mig_profile="") | Q(slices__gt=0), name="workload_profile_has_slices"
            ),
            models.CheckConstraint(
                condition=Q(
                    gpu_models=[], gpu_memory_min_mib=0, gpu_features=[], gpu_bandwidth_min_gbps=0
                )
                | Q(gpus__gt=0)
                | Q(slices__gt=0)
                | Q(gpu_milli__gt=0),
                name="workload_chooses_only_gpus_it_has",
            ),
            models.CheckConstraint(condition=Q(replicas__gte=1), name="workload_has_a_replica"),
            models.CheckConstraint(
                condition=Q(
                    held_by__in=["", "evictions", "user", "group_admin", "operator", "new_owner"]
                ),
                name="workload_hold_known",
            ),
            models.CheckConstraint(
                condition=Q(array=None, array_index=None, heads_array=False)
                | Q(array__isnull=False, array_index__isnull=False),
                name="workload_task_has_an_index",
            ),
            models.UniqueConstraint(
                fields=["array", "array_index"],
                condition=Q(array__isnull=False),
                name="workload_one_per_index",
            ),
            models.CheckConstraint(
                condition=Q(kind=APP.kind, app__isnull=False) | (~Q(kind=APP.kind) & Q(app=None)),
                name="workload_app_is_named",
            ),
            models.UniqueConstraint(
                fields=["owner", "app", "app_folder"],
                condition=Q(kind=APP.kind, state__in=["queued", "placing", "starting", "running"]),
                name="workload_one_session_per_folder",
            ),
            models.CheckConstraint(
                condition=Q(finished_at__gte=F("started_at")), name="workload_ends_after_start"
            ),
        ]
        indexes = [
            models.Index(fields=["owner", "-id"], name="workload_by_owner"),
            models.Index(fields=["group", "-id"], name="workload_by_group"),
            models.Index(fields=["name", "id"], name="workload_by_name"),
            models.Index(fields=["state", "id"], name="workload_by_state"),
            models.Index(
                fields=["pool", "-priority", "submitted_at", "id"],
                condition=Q(state="queued"),
                name="workload_queue",
            ),
            models.Index(fields=["app"], condition=Q(app__isnull=False), name="workload_by_app"),
            GinIndex(fields=["tags"], condition=~Q(tags=[]), name="workload_by_tag"),
            models.Index(
                fields=["array", "state"],
                condition=Q(array__isnull=False),
                name="workload_by_array",
            ),
            models.Index(
                fields=["state", "id"],
                condition=~Q(state__in=["succeeded", "failed", "cancelled", "expired"]),
                name="workload_active",
            ),
            models.Index(
                # With what is counted of the queue: it is read without its rows.
                fields=["queued_at", "id"],
                include=["pool", "group"],
                condition=Q(state="queued"),
                name="workload_queued",
            ),
            models.Index(
                fields=["kind", "id"],
                condition=~Q(state__in=["succeeded", "failed", "cancelled", "expired"]),
                name="workload_active_by_kind",
            ),
            models.Index(
                fields=["owner_left_at"],
                condition=Q(owner_left_at__isnull=False),
                name="workload_by_owner_left",
            ),
            models.Index(fields=["heir"], condition=Q(heir__isnull=False), name="workload_by_heir"),
            models.Index(
                fields=["must_end_at"],
                condition=Q(
                    must_end_at__isnull=False, state__in=["placing", "starting", "running"]
                ),
                name="workload_must_end",
            ),
        ]

    @property
    def terms(self) -> WorkTerms:
        """What holds for all work of its kind."""
        return KINDS[self.kind]

    @property
    def probe(self) -> Probe | None:
        """How its node asks whether it is ready: as its spec says, else as all of its kind."""
        own = self.spec.get("probe")
        return Probe(**own) if own else self.terms.probe


class WorkloadEvent(models.Model):
    """One transition, or a note, written in the transaction of what it records. Append-only.

    Its `id` is the sequence number of the live process.
    """

    id = models.BigAutoField(primary_key=True)
    workload = models.ForeignKey(Workload, models.CASCADE, related_name="events", db_index=False)
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
