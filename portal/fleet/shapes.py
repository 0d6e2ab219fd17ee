"""Pools and nodes in responses."""

from typing import Any

from rest_framework import serializers

from portal.common.rest.refs import TitledRef, UserRef
from portal.execution.backends import BACKENDS
from portal.inventory.gpu_models import known_features
from portal.inventory.models import Pool
from scheduler.core.model.states import LossKind
from wire.words import CheckLevel


class CapacityOutput(serializers.Serializer[Any]):
    """What a pool has, and what of it is free now."""

    nodes = serializers.IntegerField()
    gpus_total = serializers.IntegerField(help_text="Lost ones too.")
    gpus_free = serializers.IntegerField()
    gpus_lost = serializers.IntegerField(help_text="Gone by an error.")
    slices_total = serializers.IntegerField()
    slices_free = serializers.IntegerField()
    largest_free = serializers.IntegerField()
    waiting = serializers.IntegerField()
    is_simulated = serializers.BooleanField()
    model = serializers.CharField()
    memory_mib = serializers.IntegerField()


class LimitsOutput(serializers.Serializer[Any]):
    """The most that one submission may request."""

    gpus_max = serializers.IntegerField()
    slices_max = serializers.IntegerField()
    gpu_memory_mib_max = serializers.IntegerField()
    burst_pct = serializers.IntegerField()
    """Limit of burst use, in percent of the requested fraction; 100 is no burst."""
    profiles = serializers.ListField(child=serializers.CharField())
    cpu_milli_max = serializers.IntegerField()
    memory_mib_max = serializers.IntegerField()
    replicas_max = serializers.IntegerField()


class GpuModelOutput(serializers.Serializer[Any]):
    """What is published of a model of GPUs; 0 is not published."""

    name = serializers.CharField()
    vendor = serializers.CharField()
    memory_mib = serializers.IntegerField()
    fp16_tflops = serializers.IntegerField(help_text="Dense matrix operations, 10^12 a second.")
    fp32_tflops = serializers.IntegerField(help_text="Vector operations, 10^12 a second.")
    bandwidth_gbps = serializers.IntegerField(help_text="Of its memory, in gigabytes per second.")
    features = serializers.ListField(child=serializers.ChoiceField(known_features()))
    is_mig_capable = serializers.BooleanField()


class PoolModelOutput(serializers.Serializer[Any]):
    """The GPUs of one model in a pool, and what is known of it."""

    name = serializers.CharField(help_text="By which requests and quotas name it.")
    memory_mib = serializers.IntegerField(help_text="The least of any of them, as reported.")
    gpus_total = serializers.IntegerField()
    gpus_free = serializers.IntegerField()
    known = GpuModelOutput(allow_null=True)


class PoolOutput(TitledRef):
    """A pool with its capacity."""

    purpose = serializers.ChoiceField(
        Pool.Purpose.values,
        help_text="Where notebooks (`development`), jobs (`training`) and replicas of services (`inference`)"
        " go that name no pool; none is refused that names it.",
    )
    mode = serializers.ChoiceField(Pool.Mode.values)
    slices_per_card = serializers.IntegerField()
    slice_mib = serializers.IntegerField()
    cpu_overcommit_pct = serializers.IntegerField()
    default_time_limit_s = serializers.IntegerField()
    time_limit_s_max = serializers.IntegerField()
    is_open = serializers.BooleanField()
    backend = serializers.ChoiceField(BACKENDS, help_text="What runs its work.")
    isolation = serializers.CharField()
    """Weakest isolation between tenants that its policy accepts on a shared card."""
    capacity = CapacityOutput()
    limits = LimitsOutput()
    models = PoolModelOutput(many=True)
    version = serializers.IntegerField(help_text="Grows with each change of its settings.")


class HolderOutput(serializers.Serializer[Any]):
    """An occupied slot; of other tenants' work only that it is occupied."""

    slot = serializers.IntegerField()
    mine = serializers.BooleanField()
    visible = serializers.BooleanField()
    lent = serializers.BooleanField()
    workload_id = serializers.UUIDField(allow_null=True)
    workload_name = serializers.CharField(allow_null=True)
    owner = UserRef(allow_null=True)


class AcceleratorOutput(serializers.Serializer[Any]):
    """One card."""

    id = serializers.UUIDField()
    uuid = serializers.CharField()
    index = serializers.IntegerField()
    vendor = serializers.CharField()
    model = serializers.CharField()
    memory_mib = serializers.IntegerField()
    mode = serializers.ChoiceField(["exclusive", "shared"])
    slices = serializers.IntegerField()
    state = serializers.CharField()
    fault = serializers.CharField(allow_blank=True)
    is_retest_due = serializers.BooleanField()
    island = serializers.IntegerField()
    isolation = serializers.ListField(child=serializers.CharField())
    driver = serializers.CharField(allow_blank=True)
    is_simulated = serializers.BooleanField()
    utilisation_pct = serializers.IntegerField(allow_null=True)
    memory_used_mib = serializers.IntegerField(allow_null=True)
    power_mw = serializers.IntegerField(allow_null=True)
    temperature_c = serializers.IntegerField(allow_null=True)
    holders = HolderOutput(many=True)


class NodeFaultOutput(serializers.Serializer[Any]):
    """A reported reason why a node cannot run work, now or soon."""

    code = serializers.CharField()
    detail = serializers.CharField()
    is_blocking = serializers.BooleanField()


class NodeCheckOutput(serializers.Serializer[Any]):
    """The outcome of one check of a host, with a command that repairs what it found."""

    code = serializers.CharField()
    level = serializers.ChoiceField([level.value for level in CheckLevel])
    en = serializers.CharField()
    zh = serializers.CharField()
    fix = serializers.CharField(help_text="For a root shell on the host; empty if there is none.")


class NodeChecksOutput(serializers.Serializer[Any]):
    """What the doctor of a node last found on its host."""

    reported_at = serializers.DateTimeField(allow_null=True)
    checks = NodeCheckOutput(many=True)


class NodeModelOutput(serializers.Serializer[Any]):
    """A model of GPUs of a node, and what is known of it."""

    name = serializers.CharField(help_text="By which requests and quotas name it.")
    known = GpuModelOutput(allow_null=True)


class NodeOutput(serializers.Serializer[Any]):
    """A node with its cards."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    pool = TitledRef()
    state = serializers.CharField()
    hold = serializers.ChoiceField(["", "cordon", "drain", "quarantine"])
    drain_until = serializers.DateTimeField(allow_null=True)
    drain_stops = serializers.BooleanField()
    faults = NodeFaultOutput(many=True)
    runtime = serializers.CharField()
    is_isolated = serializers.BooleanField()
    address = serializers.CharField()
    cpu_milli = serializers.IntegerField()
    cpu_used_milli = serializers.IntegerField()
    memory_mib = serializers.IntegerField()
    memory_used_mib = serializers.IntegerField()
    containers_held = serializers.IntegerField()
    """Live containers, for whose end a drain waits; on a silent node, those that it keeps."""
    agent_version = serializers.CharField()
    last_seen_at = serializers.DateTimeField(allow_null=True)
    silent_since = serializers.DateTimeField(allow_null=True)
    lost_as = serializers.ChoiceField(
        [kind.value for kind in LossKind],
        help_text="Why its work was given up while it was silent; empty when it was not.",
    )
    models = NodeModelOutput(many=True)
    accelerators = AcceleratorOutput(many=True)
