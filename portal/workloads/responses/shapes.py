"""Response shapes of workloads.

One definition for both: OpenAPI is generated from these classes, and `portal.common.rest.projection`
reads their fields, by name or `source`, from what the other modules of this folder return.
"""

from typing import Any

from rest_framework import serializers

from portal.common.rest.refs import TitledRef, UserRef
from portal.common.work_kinds import KINDS, WorkAction
from portal.inventory.gpu_models import known_features
from portal.quotas.priorities import PRIORITIES
from portal.workloads.idle.rules import IdleLoss
from portal.workloads.models import Idleness, Workload
from portal.workloads.responses.app_shapes import AppFolderShape, AppRef
from portal.workloads.responses.array_shapes import ArraySummary, DependencyShape
from portal.workloads.responses.placement_shapes import (
    AllocationShape,
    NodeRef,
    ShortDisk,
    SilentNode,
)
from portal.workloads.responses.use_shapes import (
    InputUseShape,
    SecretUseShape,
    TemplateUseShape,
    VolumeUseShape,
)
from portal.workloads.retry import RestartRule
from scheduler.core.advice import AdviceCode
from scheduler.core.dry_run import DryRunOutcome
from scheduler.core.model.plan import EstimateBasis, EvictionCause, MoveCause
from scheduler.core.model.states import WorkloadState
from wire.words import SilenceTerm

_STATES = [state.value for state in WorkloadState]


class WaitReason(serializers.Serializer[Any]):
    """Why something waits or is refused."""

    code = serializers.CharField()
    params = serializers.DictField()


class StartRangeShape(serializers.Serializer[Any]):
    """When a waiting workload is expected to start, what that rests on, and how sure it is."""

    earliest = serializers.DateTimeField()
    latest = serializers.DateTimeField()
    basis = serializers.ChoiceField(choices=[basis.value for basis in EstimateBasis])
    sure_percent = serializers.IntegerField(
        allow_null=True,
        help_text="How many of such estimates in this pool came inside such a range; null where too few "
        "are known yet.",
    )
    estimates = serializers.IntegerField(
        help_text="How many such estimates of the last weeks that rests on."
    )


class IdleWarning(serializers.Serializer[Any]):
    """What an idle notebook is about to lose; its owner was warned of it."""

    loss = serializers.ChoiceField(choices=[loss.value for loss in IdleLoss])
    at = serializers.DateTimeField()


class _WorkloadFields(serializers.Serializer[Any]):
    """What lists and pages show of a workload."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=list(KINDS))
    name = serializers.CharField()
    state = serializers.ChoiceField(choices=_STATES)
    cause = serializers.CharField()
    cause_params = serializers.DictField()
    tags = serializers.ListField(child=serializers.CharField())
    group = TitledRef()
    owner = UserRef()
    pool = TitledRef()
    image = TitledRef()
    gpus = serializers.IntegerField()
    slices = serializers.IntegerField()
    gpu_milli = serializers.IntegerField()
    gpu_memory_mib = serializers.IntegerField()
    gpu_memory_ceiling_mib = serializers.IntegerField(allow_null=True)
    mig_profile = serializers.CharField()
    gpu_models = serializers.ListField(child=serializers.CharField())
    gpu_memory_min_mib = serializers.IntegerField()
    gpu_features = serializers.ListField(child=serializers.ChoiceField(known_features()))
    gpu_bandwidth_min_gbps = serializers.IntegerField(help_text="In gigabytes per second.")
    replicas = serializers.IntegerField()
    cpu_milli = serializers.IntegerField()
    memory_mib = serializers.IntegerField()
    priority = serializers.ChoiceField(choices=sorted(PRIORITIES))
    time_limit_s = serializers.IntegerField(
        allow_null=True, help_text="Null is none: it runs until somebody ends it."
    )
    submitted_at = serializers.DateTimeField()
    queued_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    ends_at = serializers.DateTimeField(allow_null=True)
    exit_code = serializers.IntegerField(allow_null=True)
    retries = serializers.IntegerField()
    retries_max = serializers.IntegerField()
    epoch = serializers.IntegerField()
    version = serializers.IntegerField()
    is_ready = serializers.BooleanField()
    simulated = serializers.BooleanField(help_text="Of the made-up past or activity of a demo.")
    runtime = serializers.CharField(allow_null=True)
    is_isolated = serializers.BooleanField(allow_null=True)
    silent_since = serializers.DateTimeField(
        allow_null=True, help_text="Since when a node that it is on is not heard."
    )
    preemptible = serializers.BooleanField()
    priority_until = serializers.DateTimeField(allow_null=True)
    evictions = serializers.IntegerField()
    owner_left_at = serializers.DateTimeField(
        allow_null=True,
        help_text="Since when it is known that its owner may not submit to its group any more.",
    )
    heir = UserRef(
        allow_null=True, help_text="Whose it becomes when nothing of its present attempt is left."
    )
    held_by = serializers.ChoiceField(choices=Workload.HeldBy.values, allow_blank=True)
    not_before = serializers.DateTimeField(allow_null=True)
    array_id = serializers.UUIDField(allow_null=True)
    array_index = serializers.IntegerField(allow_null=True)
    array = ArraySummary(
        allow_null=True,
        help_text="In a list only with `collapsed`: the array for which the row stands.",
    )
    position = serializers.IntegerField(allow_null=True)
    expected_start = StartRangeShape(allow_null=True)
    reasons = WaitReason(many=True)
    idle_warning = IdleWarning(allow_null=True)
    app = AppRef(allow_null=True, help_text="Of a session of a web app.")
    shows = AppFolderShape(allow_null=True, help_text="The folder that its app shows.")


class WorkloadSummary(_WorkloadFields):
    """A workload in a list."""

    actions = serializers.ListField(
        child=serializers.ChoiceField([action.value for action in WorkAction]),
        help_text="What the caller may do to it now; to all its tasks, if it stands for an array.",
    )


class WorkloadSpec(serializers.Serializer[Any]):
    """What a workload runs."""

    command = serializers.ListField(child=serializers.CharField())
    script = serializers.CharField()
    env = serializers.DictField(
        child=serializers.CharField(), help_text="Shown to its owner; empty for everyone else."
    )
    hidden_env = serializers.ListField(
        child=serializers.CharField(),
        help_text="Names of the variables whose values are not shown to the caller.",
    )
    launcher = serializers.CharField()
    notice_signal = serializers.CharField()
    datasets = serializers.ListField(child=serializers.CharField())
    home = serializers.BooleanField(help_text="Whether it has the home of its owner.")
    volumes = VolumeUseShape(many=True)
    inputs = InputUseShape(many=True)
    ports = serializers.ListField(child=serializers.IntegerField())
    port_names = serializers.DictField(child=serializers.CharField())
    secrets = SecretUseShape(many=True)
    template = TemplateUseShape(allow_null=True)


class RestartShape(serializers.Serializer[Any]):
    """When a workload is restarted automatically."""

    rule = serializers.ChoiceField(choices=[rule.value for rule in RestartRule])
    pause_s = serializers.IntegerField()
    final_codes = serializers.ListField(child=serializers.IntegerField())
    free_codes = serializers.ListField(child=serializers.IntegerField())
    after_out_of_memory = serializers.BooleanField()


class TimelineStep(serializers.Serializer[Any]):
    """A step that the current attempt has reached."""

    step = serializers.ChoiceField(
        choices=["queued", "placing", "starting", "ready", "running", "stopping", "ended"]
    )
    at = serializers.DateTimeField()


class ReservedNode(serializers.Serializer[Any]):
    """Replicas that a reservation will start on one node."""

    node = NodeRef()
    replicas = serializers.IntegerField()


class ReservationShape(serializers.Serializer[Any]):
    """A reservation: a start that no other work may delay."""

    starts_at = serializers.DateTimeField()
    nodes = ReservedNode(many=True)


class MovedStartShape(serializers.Serializer[Any]):
    """A promised start that could not be kept, and why."""

    at = serializers.DateTimeField(help_text="When it was moved.")
    was = serializers.DateTimeField()
    starts_at = serializers.DateTimeField(
        allow_null=True, help_text="Null: none is promised instead."
    )
    cause = serializers.ChoiceField(choices=[cause.value for cause in MoveCause])


class IdleShape(serializers.Serializer[Any]):
    """Use of a running notebook: whether it is idle, what it loses next, and where its GPUs are."""

    active_at = serializers.DateTimeField()
    signal = serializers.CharField()
    idle_since = serializers.DateTimeField(allow_null=True)
    next = serializers.ChoiceField(choices=[loss.value for loss in IdleLoss], allow_null=True)
    next_at = serializers.DateTimeField(allow_null=True)
    is_warned = serializers.BooleanField()
    keeps_left = serializers.IntegerField()
    keep_s = serializers.IntegerField()
    gpu_state = serializers.ChoiceField(choices=Idleness.GpuState.values)
    gpus_released_at = serializers.DateTimeField(allow_null=True)
    position = serializers.IntegerField(allow_null=True)
    reasons = WaitReason(many=True)
    may_restart = serializers.BooleanField()


class AvoidedShape(serializers.Serializer[Any]):
    """A node, or one card of it, that the next attempt avoids while there is another place."""

    node = NodeRef(source="node_ref")
    card = serializers.CharField(
        source="card_uuid", allow_null=True, help_text="UUID; null is the node as a whole."
    )
    cause = serializers.CharField()
    times = serializers.IntegerField(source="failures")
    until = serializers.DateTimeField()


class WorkloadDetail(_WorkloadFields):
    """Everything about one workload."""

    spec = WorkloadSpec()
    restart = RestartShape()
    retry_at = serializers.DateTimeField(allow_null=True)
    checkpointed_at = serializers.DateTimeField(allow_null=True)
    allocations = AllocationShape(many=True)
    short_disks = ShortDisk(many=True)
    silence = serializers.ChoiceField(
        choices=[term.value for term in SilenceTerm],
        allow_blank=True,
        help_text="As it was submitted; empty is the term of its pool.",
    )
    silent_nodes = SilentNode(many=True)
    timeline = TimelineStep(many=True)
    reservation = ReservationShape(allow_null=True)
    moved_starts = MovedStartShape(many=True, help_text="While it waits, the last five.")
    avoids = AvoidedShape(many=True)
    idle = IdleShape(allow_null=True)
    dependencies = DependencyShape(many=True)


class WorkloadEventShape(serializers.Serializer[Any]):
    """One transition, or a note: then `from_state` is `to_state`."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    from_state = serializers.CharField()
    to_state = serializers.ChoiceField(choices=_STATES)
    epoch = serializers.IntegerField()
    cause = serializers.CharField()
    params = serializers.DictField()
    actor_kind = serializers.CharField()
    actor_name = serializers.CharField()


class WorkGlimpse(serializers.Serializer[Any]):
    """A workload in a list of many tenants' work; the names are null for work of other tenants."""

    id = serializers.UUIDField(allow_null=True)
    name = serializers.CharField(allow_null=True)
    owner = UserRef(allow_null=True)
    group = TitledRef(allow_null=True)
    mine = serializers.BooleanField()
    kind = serializers.CharField()
    gpus = serializers.IntegerField()
    slices = serializers.IntegerField()
    replicas = serializers.IntegerField()
    preemptible = serializers.BooleanField()


class StoppedWork(serializers.Serializer[Any]):
    """Running work that would be evicted, and by which rule."""

    work = WorkGlimpse()
    cause = serializers.ChoiceField(choices=[cause.value for cause in EvictionCause])


class TagsShape(serializers.Serializer[Any]):
    """The tags of one workload."""

    tags = serializers.ListField(child=serializers.CharField())


class CheckpointShape(serializers.Serializer[Any]):
    """The last checkpoint of a workload."""

    checkpointed_at = serializers.DateTimeField()


class AdvisedShape(serializers.Serializer[Any]):
    """A smaller request that would be enough, in the fields of a submission, and its dry run."""

    code = serializers.ChoiceField(
        source="request.code", choices=[code.value for code in AdviceCode]
    )
    pool = TitledRef()
    model = serializers.CharField(
        source="request.model", help_text="Of its GPUs; empty where there are several."
    )
    gpus = serializers.IntegerField(source="request.request.gpus")
    slices = serializers.IntegerField()
    gpu_milli = serializers.IntegerField(source="request.request.gpu_milli")
    gpu_memory_mib = serializers.IntegerField(source="request.request.gpu_memory_mib")
    mig_profile = serializers.CharField(source="request.request.mig_profile")
    gpu_models = serializers.ListField(
        child=serializers.CharField(),
        source="request.request.gpu_models",
        help_text="The model to name, where its pool has others.",
    )
    total_gpu_memory_mib = serializers.IntegerField(
        source="request.size.memory_mib", help_text="GPU memory of one replica."
    )
    total_gpu_milli = serializers.IntegerField(
        source="request.size.gpu_milli",
        help_text="Compute of one replica, in thousandths of a GPU.",
    )
    verdict = serializers.ChoiceField(
        source="verdict.outcome",
        choices=[DryRunOutcome.STARTS_NOW.value, DryRunOutcome.WAITS.value],
    )
    position = serializers.IntegerField(source="verdict.position", allow_null=True)
    expected_start = StartRangeShape(allow_null=True)


class AdviceShape(serializers.Serializer[Any]):
    """That a smaller request would be enough, with the measured runs that show it."""

    runs = serializers.IntegerField(
        source="need.runs", help_text="Past runs of the same kind that were measured."
    )
    peak_gpu_memory_mib = serializers.IntegerField(
        source="need.peak_mib", help_text="The most GPU memory that any of them used."
    )
    busy_pct = serializers.IntegerField(
        source="need.busy_pct", help_text="The highest utilisation of any of them."
    )
    requested_gpu_memory_mib = serializers.IntegerField(source="requested.memory_mib")
    requested_gpu_milli = serializers.IntegerField(source="requested.gpu_milli")
    enough = AdvisedShape(many=True)


class AdviceAnswer(serializers.Serializer[Any]):
    """Advice; null if nothing was measured or nothing smaller would be enough."""

    advice = AdviceShape(allow_null=True)
