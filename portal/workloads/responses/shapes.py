"""The shapes of workloads in answers and of their filters, shared by every door to them.

`presentation` fills the answers; these classes describe them in the OpenAPI document.
"""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from typing_extensions import override

from portal.common.refs import GroupRef, TitledRef, UserRef
from portal.common.serializers import OneOfField, QuerySerializer
from portal.workloads.idle.rules import IdleLoss
from portal.workloads.models import Idleness, Workload
from portal.workloads.retry import RestartRule
from portal.workloads.submission.admission import PRIORITIES
from scheduler.core.advice import AdviceCode
from scheduler.core.dry_run import DryRunOutcome
from scheduler.core.model.isolation import IsolationLevel
from scheduler.core.model.plan import EstimateBasis, EvictionCause
from scheduler.core.model.states import AllocationState, WorkloadState

_STATES = [state.value for state in WorkloadState]


class WaitReason(serializers.Serializer[Any]):
    """Why something waits or is refused."""

    code = serializers.CharField()
    params = serializers.DictField()


class StartRangeShape(serializers.Serializer[Any]):
    """When a waiting workload is expected to start, and what that rests on."""

    earliest = serializers.DateTimeField()
    latest = serializers.DateTimeField()
    basis = serializers.ChoiceField(choices=[basis.value for basis in EstimateBasis])


class WorkloadSummary(serializers.Serializer[Any]):
    """A workload in a list."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=Workload.Kind.values)
    name = serializers.CharField()
    state = serializers.ChoiceField(choices=_STATES)
    cause = serializers.CharField()
    cause_params = serializers.DictField()
    group = GroupRef()
    owner = UserRef()
    pool = TitledRef()
    image = TitledRef()
    gpus = serializers.IntegerField()
    slices = serializers.IntegerField()
    gpu_milli = serializers.IntegerField()
    gpu_memory_mib = serializers.IntegerField()
    gpu_memory_ceiling_mib = serializers.IntegerField(allow_null=True)
    mig_profile = serializers.CharField()
    replicas = serializers.IntegerField()
    cpu_milli = serializers.IntegerField()
    memory_mib = serializers.IntegerField()
    priority = serializers.ChoiceField(choices=sorted(PRIORITIES))
    time_limit_s = serializers.IntegerField()
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
    runtime = serializers.CharField(allow_null=True)
    is_isolated = serializers.BooleanField(allow_null=True)
    preemptible = serializers.BooleanField()
    priority_until = serializers.DateTimeField(allow_null=True)
    evictions = serializers.IntegerField()
    position = serializers.IntegerField(allow_null=True)
    expected_start = StartRangeShape(allow_null=True)
    reasons = WaitReason(many=True)


class HeldDevice(serializers.Serializer[Any]):
    """A card or slice that a replica holds."""

    uuid = serializers.CharField()
    index = serializers.IntegerField()
    model = serializers.CharField()
    slot = serializers.IntegerField()
    slices = serializers.IntegerField()
    gpu_milli = serializers.IntegerField()
    memory_mib = serializers.IntegerField(help_text="Guaranteed.")
    ceiling_mib = serializers.IntegerField(
        allow_null=True, help_text="What it may grow to; null is its guarantee."
    )


class NodeRef(serializers.Serializer[Any]):
    """A node in a few words."""

    id = serializers.UUIDField()
    name = serializers.CharField()


class AllocationShape(serializers.Serializer[Any]):
    """What one replica holds on one node."""

    rank = serializers.IntegerField()
    epoch = serializers.IntegerField()
    node = NodeRef()
    state = serializers.ChoiceField(choices=[state.value for state in AllocationState])
    phase = serializers.CharField()
    detail = serializers.CharField()
    progress_pct = serializers.IntegerField(allow_null=True)
    isolation = serializers.ChoiceField(
        choices=[mode.value for mode in IsolationLevel],
        allow_blank=True,
        help_text="What keeps others off its cards, as proven; empty while that is not.",
    )
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    exit_code = serializers.IntegerField(allow_null=True)
    exit_cause = serializers.CharField()
    devices = HeldDevice(many=True)


class ShortDisk(serializers.Serializer[Any]):
    """A node of this work whose disk is running full."""

    node = NodeRef()
    free_mib = serializers.IntegerField()
    size_mib = serializers.IntegerField()


class WorkloadSpec(serializers.Serializer[Any]):
    """What it runs."""

    command = serializers.ListField(child=serializers.CharField())
    script = serializers.CharField()
    env = serializers.DictField(child=serializers.CharField())
    launcher = serializers.CharField()
    notice_signal = serializers.CharField()
    datasets = serializers.ListField(child=serializers.CharField())
    ports = serializers.ListField(child=serializers.IntegerField())


class RestartShape(serializers.Serializer[Any]):
    """When it starts again by itself."""

    rule = serializers.ChoiceField(choices=[rule.value for rule in RestartRule])
    pause_s = serializers.IntegerField()
    final_codes = serializers.ListField(child=serializers.IntegerField())
    free_codes = serializers.ListField(child=serializers.IntegerField())
    after_out_of_memory = serializers.BooleanField()


class TimelineStep(serializers.Serializer[Any]):
    """A step that the present attempt has reached."""

    step = serializers.ChoiceField(
        choices=["queued", "placing", "starting", "ready", "running", "stopping", "ended"]
    )
    at = serializers.DateTimeField()


class ReservedNode(serializers.Serializer[Any]):
    """Replicas that a reservation will start on one node."""

    node = NodeRef()
    replicas = serializers.IntegerField()


class ReservationShape(serializers.Serializer[Any]):
    """A promised start: nothing that starts before it may delay it."""

    starts_at = serializers.DateTimeField()
    nodes = ReservedNode(many=True)


class IdleShape(serializers.Serializer[Any]):
    """Whether anybody uses a running notebook, what it loses next if not, and where its cards are."""

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

    node = NodeRef()
    card = serializers.CharField(allow_null=True, help_text="UUID; null is the node as a whole.")
    cause = serializers.CharField()
    times = serializers.IntegerField()
    until = serializers.DateTimeField()


class WorkloadDetail(WorkloadSummary):
    """Everything about one workload."""

    spec = WorkloadSpec()
    restart = RestartShape()
    retry_at = serializers.DateTimeField(allow_null=True)
    checkpointed_at = serializers.DateTimeField(allow_null=True)
    allocations = AllocationShape(many=True)
    short_disks = ShortDisk(many=True)
    timeline = TimelineStep(many=True)
    reservation = ReservationShape(allow_null=True)
    avoids = AvoidedShape(many=True)
    idle = IdleShape(allow_null=True)


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
    """A workload among those of others; the names are null where the reader may not know them."""

    id = serializers.UUIDField(allow_null=True)
    name = serializers.CharField(allow_null=True)
    owner = UserRef(allow_null=True)
    group = GroupRef(allow_null=True)
    mine = serializers.BooleanField()
    kind = serializers.CharField()
    gpus = serializers.IntegerField()
    slices = serializers.IntegerField()
    replicas = serializers.IntegerField()
    preemptible = serializers.BooleanField()


class StoppedWork(serializers.Serializer[Any]):
    """Running work that would have to leave, and by which rule."""

    work = WorkGlimpse()
    cause = serializers.ChoiceField(choices=[cause.value for cause in EvictionCause])


class CheckpointShape(serializers.Serializer[Any]):
    """When work was last saved."""

    checkpointed_at = serializers.DateTimeField()


class AdvisedShape(serializers.Serializer[Any]):
    """Less of a card that would be enough, as it would be asked for, and what would become of it."""

    code = serializers.ChoiceField(choices=[code.value for code in AdviceCode])
    pool = TitledRef()
    model = serializers.CharField(help_text="Of its cards; empty where there are several.")
    gpus = serializers.IntegerField()
    slices = serializers.IntegerField()
    gpu_milli = serializers.IntegerField()
    gpu_memory_mib = serializers.IntegerField()
    mig_profile = serializers.CharField()
    total_gpu_memory_mib = serializers.IntegerField(help_text="GPU memory of one replica.")
    total_gpu_milli = serializers.IntegerField(
        help_text="Compute of one replica, in thousandths of a GPU."
    )
    verdict = serializers.ChoiceField(
        choices=[DryRunOutcome.STARTS_NOW.value, DryRunOutcome.WAITS.value]
    )
    position = serializers.IntegerField(allow_null=True)
    expected_start = StartRangeShape(allow_null=True)


class AdviceShape(serializers.Serializer[Any]):
    """That less than was asked for is enough, with the measured runs that say so."""

    runs = serializers.IntegerField(help_text="Past runs of the same kind that were measured.")
    peak_gpu_memory_mib = serializers.IntegerField(
        help_text="The most card memory that any of them used."
    )
    busy_pct = serializers.IntegerField(help_text="Mean utilisation of the busiest of them.")
    requested_gpu_memory_mib = serializers.IntegerField()
    requested_gpu_milli = serializers.IntegerField()
    enough = AdvisedShape(many=True)


class AdviceAnswer(serializers.Serializer[Any]):
    """Advice, or none: nothing was measured, or nothing smaller would be enough."""

    advice = AdviceShape(allow_null=True)


class DryRunAnswer(serializers.Serializer[Any]):
    """What would become of a submission."""

    verdict = serializers.ChoiceField(choices=[outcome.value for outcome in DryRunOutcome])
    position = serializers.IntegerField(allow_null=True)
    reasons = WaitReason(many=True)
    expected_start = StartRangeShape(allow_null=True)
    stops = StoppedWork(many=True)
    advice = AdviceShape(allow_null=True)


@extend_schema_field(OpenApiTypes.STR)
class OwnerFilter(serializers.Field[Any, Any, Any, Any]):
    """`me`, or the id of a user."""

    @override
    def to_internal_value(self, data: Any) -> Any:
        """Return the id, or None for the caller."""
        return None if data == "me" else serializers.UUIDField().to_internal_value(data)

    @override
    def to_representation(self, value: Any) -> str:
        """Return the word for a filter value."""
        return "me" if value is None else str(value)


class OneKindQuery(QuerySerializer):
    """Filters of a list of one kind of work."""

    state = OneOfField(choices=_STATES, required=False)
    active = serializers.BooleanField(required=False)
    group = serializers.UUIDField(required=False)
    owner = OwnerFilter(required=False)
    search = serializers.CharField(required=False, max_length=63)


class WorkloadQuery(OneKindQuery):
    """Filters of the list of all work."""

    kind = OneOfField(choices=Workload.Kind.values, required=False)
